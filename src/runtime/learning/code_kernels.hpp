// SPDX-License-Identifier: Apache-2.0
// Kernels of tasks that nobody has named: one for each place in the code that creates tasks, without parameters.
#pragma once

#include "foretask/foretask.h"

namespace foretask::runtime {

// HOT: its kernel, called "module+0xoffset" of the file it lies in; null where there are too many or no memory. Some ns
// for a place that this thread has met lately, a lock for others, some 10 us for a new one.
[[nodiscard]] foretask_kernel* kernel_of_code(const void* code) noexcept;

// The mutex, for fork handlers.
void lock_code_kernels();
void unlock_code_kernels();

}  // namespace foretask::runtime
