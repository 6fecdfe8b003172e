// SPDX-License-Identifier: Apache-2.0
// HOT: the iterations of a loop that a task runs itself: those that it was given, without those that it gives to tasks
// of its own. A parameter of its kernel, known when they have run.
#pragma once

#include <cstdint>

#include "abi.hpp"
#include "shadow_table.hpp"

namespace foretask::tbb {

class LoopPart {
 public:
  // The task begins.
  explicit LoopPart(const Task& task) noexcept
      : shadow_(Shadow::of(task)), original_(Shadow::original_of(task)), own_(shadow_.body().iterations_of(task)) {}

  // The task creates another one, which may be a part of its own part. It may have a shadow, or none yet.
  void give(const Task& created) noexcept {
    if (created.vtable != shadow_.table() && created.vtable != original_) return;
    const std::uint64_t given = shadow_.body().iterations_of(created);
    own_ -= given < own_ ? given : own_;
  }

  [[nodiscard]] double iterations() const noexcept { return static_cast<double>(own_); }

 private:
  Shadow& shadow_;
  void** original_;
  std::uint64_t own_;
};

}  // namespace foretask::tbb
