// SPDX-License-Identifier: Apache-2.0
// What a recording shows of the runtime's own time: strands by what they begin and end with, which are nothing else in
// a program whose tasks do nothing, and the gaps between strands where a worker could go on. Probes are taken out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "statistics/time_histogram.hpp"

namespace foretask::graph {

// What the runtime is called for at a strand's end; the next strand of the task begins with it.
enum class Boundary : std::uint8_t {
  kTask,    // an explicit task's begin and end
  kCreate,  // of a task
  kWait,    // a taskwait, the end of a taskgroup
  kOther
};
inline constexpr std::size_t kBoundaries = 4;

struct RuntimeTimes {
  // By the boundaries at the beginning and at the end.
  std::array<std::array<statistics::TimeHistogram, kBoundaries>, kBoundaries> strands;
  // As analysis::TeamCosts.
  statistics::TimeHistogram at_once;
  statistics::TimeHistogram dispatch;
  statistics::TimeHistogram next;
  statistics::TimeHistogram contended;
  statistics::TimeHistogram steal;
  statistics::TimeHistogram resume;
  statistics::TimeHistogram pass;
  statistics::TimeHistogram fork;
  statistics::TimeHistogram barrier;

  // Of the gaps before tasks, without outliers.
  [[nodiscard]] double task_gaps_ns() const noexcept {
    return at_once.sum_ns() + dispatch.sum_ns() + next.sum_ns() + contended.sum_ns() + steal.sum_ns() +
           resume.sum_ns() + pass.sum_ns();
  }
};

}  // namespace foretask::graph
