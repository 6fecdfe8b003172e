// SPDX-License-Identifier: Apache-2.0
// What stands behind a function that this library answers in front of libstarpu.
#pragma once

#include <dlfcn.h>

namespace foretask::starpu {

// `declared` gives the type alone: its own name leads back here.
template <typename Function>
[[nodiscard]] Function* next_function(Function* /*declared*/, const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace foretask::starpu

#define FORETASK_NEXT(function) foretask::starpu::next_function(&(function), #function)
