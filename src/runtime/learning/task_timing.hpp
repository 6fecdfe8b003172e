// SPDX-License-Identifier: Apache-2.0
// HOT: the times of a runtime's tasks, for the learner (foretask/learn_hook.h), and what foretask/openmp.h says of
// them.
#pragma once

#include <cstddef>

#include "foretask/foretask.h"
#include "runtime/recording/next_kernel.hpp"

namespace foretask::runtime {

// As foretask.h's and openmp.h's functions of this kind; the kernel and the count have been checked.
foretask_status learn_next_task(foretask_kernel* kernel, const double* parameters, std::size_t count) noexcept;
// What was said so of the calling thread's next task.
[[nodiscard]] NextKernel learned_next_task() noexcept;
foretask_status learn_task_parameter(std::size_t index, double value) noexcept;

// The library is being unloaded: threads' ends no longer call into it.
void close_task_threads() noexcept;

}  // namespace foretask::runtime
