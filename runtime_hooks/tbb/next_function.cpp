// SPDX-License-Identifier: Apache-2.0
#include "next_function.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace foretask::tbb {

void* find_next_function(const char* name, const void* caller) noexcept {
  if (void* const found = ::dlsym(RTLD_NEXT, name)) return found;
  Dl_info module{};
  if (::dladdr(caller, &module) != 0 && module.dli_fname)
    if (void* const handle = ::dlopen(module.dli_fname, RTLD_NOLOAD | RTLD_LAZY))
      if (void* const found = ::dlsym(handle, name)) return found;
  std::fprintf(stderr, "foretask: error: %s is called, and no libtbb has it\n", name);
  std::abort();
}

}  // namespace foretask::tbb
