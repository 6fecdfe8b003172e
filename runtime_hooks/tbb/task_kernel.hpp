// SPDX-License-Identifier: Apache-2.0
// HOT: what a new task's kernel is.
#pragma once

#include <cstdint>

#include "foretask/foretask.h"
#include "shadow_table.hpp"

namespace foretask::tbb {

struct TaskKernel {
  const void* code;  // as a return address
  bool counts_iterations = false;
  foretask_kernel* named = nullptr;  // that counts them, where the program has named the task

  [[nodiscard]] std::uint64_t marks() const noexcept {
    return reinterpret_cast<std::uint64_t>(named) | (counts_iterations ? kCountsIterations : 0);
  }
};

// Of a part of a loop the library is told that the next task has iterations: before what creates it is recorded.
[[nodiscard]] TaskKernel kernel_of_new_task_slow(const Task& task, Shadow& shadow) noexcept;
[[nodiscard]] inline TaskKernel kernel_of_new_task(const Task& task, Shadow& shadow) noexcept {
  if (shadow.kind() == TaskClass::Kind::kPlain) [[likely]]
    return {shadow.code()};
  return kernel_of_new_task_slow(task, shadow);
}

}  // namespace foretask::tbb
