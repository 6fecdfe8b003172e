// SPDX-License-Identifier: Apache-2.0
// HOT: the iterations of a loop that a task runs itself: those that it was given, without those that it gives to tasks
// of its own. A parameter of its kernel, known when they have run.
#pragma once

#include <cstdint>

#include "abi.hpp"
#include "foretask/openmp.h"
#include "shadow_table.hpp"

namespace foretask::tbb {

class LoopPart {
 public:
  // The task begins.
  explicit LoopPart(const Task& task) noexcept
      : shadow_(Shadow::of(task)),
        original_(Shadow::original_of(task)),
        named_(reinterpret_cast<foretask_kernel*>(task.reserved[kMarks] & ~kAllMarks)),
        own_(shadow_.body().iterations_of(task)) {}

  // The task is about to create another one, which may be a part of its own part. It may have a shadow, or none yet.
  void give(const Task& created) noexcept {
    if (created.vtable != shadow_.table() && created.vtable != original_) return;
    const std::uint64_t given = shadow_.body().iterations_of(created);
    own_ -= given < own_ ? given : own_;
    if (named_) static_cast<void>(foretask_openmp_next_task(named_, nullptr, 0));
  }

  [[nodiscard]] double iterations() const noexcept { return static_cast<double>(own_); }

 private:
  Shadow& shadow_;
  void** original_;
  foretask_kernel* named_;  // by the program; null: it has no name of its own
  std::uint64_t own_;
};

}  // namespace foretask::tbb
