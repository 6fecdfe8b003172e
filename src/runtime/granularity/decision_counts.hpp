// SPDX-License-Identifier: Apache-2.0
// HOT: while the process is recorded, what a thread has decided of a kernel's subtrees, until it becomes an event: once
// a ms at most, and at the end of the thread's outermost subtree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/clock.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"

namespace foretask::runtime {

// Owning thread only.
class DecisionCounts {
 public:
  // A decision of a part of `kernel`, from `begin` to `end`; `threshold`: what a part has to take.
  void add(const foretask_kernel* kernel, bool is_task, base::Ticks begin, base::Ticks end, base::Ticks threshold) {
    if (!kernel) return;
    if (kernel != kernel_) {
      write();
      kernel_ = kernel;
      since_ = begin;
    }
    tasks_ += is_task ? 1 : 0;
    ++decisions_;
    ticks_ += end - begin;
    threshold_ = threshold;
    if (ns(end - since_) >= kEachNs) {
      write();
      since_ = end;
    }
  }

  // Parts that were called without being asked for.
  void add_calls(std::int64_t calls) { calls_ += calls; }

  void write() {
    if (decisions_ != 0 && (activity_now() & kRecording) != 0)
      record_granularity({.kernel = kernel_id(kernel_),
                          .tasks = tasks_,
                          .calls = bounded(calls_),
                          .decisions = decisions_,
                          .decisions_ns = bounded(ns(ticks_)),
                          .threshold_ns = bounded(ns(threshold_))});
    tasks_ = decisions_ = 0;
    calls_ = 0;
    ticks_ = 0;
  }

 private:
  static constexpr std::int64_t kEachNs = 1'000'000;

  static std::int64_t ns(base::Ticks ticks) {
    return static_cast<std::int64_t>(recording_scale.load(std::memory_order_relaxed).ns(ticks));
  }
  static std::uint32_t bounded(std::int64_t number) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, std::numeric_limits<std::uint32_t>::max()));
  }

  const foretask_kernel* kernel_ = nullptr;
  std::uint32_t tasks_ = 0;
  std::uint32_t decisions_ = 0;
  std::int64_t calls_ = 0;
  base::Ticks ticks_ = 0;      // of the decisions
  base::Ticks threshold_ = 0;  // at the latest one
  base::Ticks since_ = 0;
};

}  // namespace foretask::runtime
