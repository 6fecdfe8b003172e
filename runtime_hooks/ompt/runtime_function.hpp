// SPDX-License-Identifier: Apache-2.0
// The functions of LLVM's runtime behind those of the same name in this library.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>

#include "next_symbol.hpp"

namespace foretask::ompt {

// The runtime's own. It may have been loaded where RTLD_NEXT does not look.
template <typename Function>
Function runtime_function(const char* name) {
  if (const auto found = next_symbol<Function>(name)) return found;
  for (const char* const library : {"libomp.so.5", "libomp.so", "libiomp5.so"}) {
    void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    if (void* const found = ::dlsym(handle, name)) return reinterpret_cast<Function>(found);
  }
  std::abort();  // nobody can have called it
}

}  // namespace foretask::ompt
