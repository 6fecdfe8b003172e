// SPDX-License-Identifier: Apache-2.0
// Kernels that nobody has named: one for each place in the code that creates tasks, opens regions or begins loops.
#pragma once

#include <string>

#include "base/region_name.hpp"
#include "foretask/foretask.h"

namespace foretask::runtime {

// HOT: its kernel, called "module+0xoffset" of the file it lies in, as base::kernel_name() says; null where there are
// too many or no memory. Tasks have no parameters, loops and tasks of loops `iterations`, regions `threads`, subtrees
// `depth`. Some ns for a place that this thread has met lately, a lock for others, some 10 us for a new one.
[[nodiscard]] foretask_kernel* kernel_of_code(const void* code, base::KernelKind kind) noexcept;

// code_version_of() the kernel's code; waits for the learner's models.
[[nodiscard]] std::string version_of(const foretask_kernel& kernel);

// Where a library was unloaded since the last call, all places are looked up anew. Some 100 ns. The learner calls it
// each round, and every new place does: until then code in the place of unloaded code is taken for it.
void forget_unloaded_code() noexcept;

// The mutex, for fork handlers.
void lock_code_kernels();
void unlock_code_kernels();

}  // namespace foretask::runtime
