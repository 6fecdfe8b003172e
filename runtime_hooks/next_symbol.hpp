// SPDX-License-Identifier: Apache-2.0
// The runtime's own function behind one of the same name in this library. Takes the dynamic linker's lock.
#pragma once

#include <dlfcn.h>

namespace foretask {

// `Function`: a pointer to it. Null: no library that was loaded after this one has it.
template <typename Function>
[[nodiscard]] Function next_symbol(const char* name) noexcept {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace foretask
