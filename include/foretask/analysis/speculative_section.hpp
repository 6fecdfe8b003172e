// SPDX-License-Identifier: Apache-2.0
// Taskgroups of a recorded program that one of their tasks cancels: or-parallel sections. The first solution wins, what
// the others did is thrown away. Definitions: docs/analysis.md.
#pragma once

#include <cstdint>
#include <string>

namespace foretask::analysis {

// In ns, as the recording's clock saw them, probes included.
struct SpeculativeTimes {
  double mean = 0;
  double sd = 0;  // of the sample: divided by n - 1; 0 of one
  double p50 = 0;
  double p90 = 0;
};

// All groups of one kernel of searches. A group's members are the tasks that its taskgroup itself waits for, whichever
// task created them; the work of taskgroups within a member is that member's.
struct SpeculativeSection {
  std::string name;             // the kernel whose tasks search, as in Report::kernels
  std::uint32_t kernel = 0;     // that one, in TaskGraph::kernel_names
  std::uint64_t groups = 0;     // times that it ran
  std::uint64_t cancelled = 0;  // those of them in which a task won
  // Of all groups. A member won, ended without winning, was cut short, or never ran.
  std::uint64_t members = 0;
  std::uint64_t ended = 0;
  std::uint64_t cut_short = 0;
  std::uint64_t never_ran = 0;
  // Of the cancelled groups.
  SpeculativeTimes winner_ns;  // from the group's begin until a task cancelled it
  double left_ns = 0;          // mean, from then on until the group's owner went on
  std::int64_t winner_work_ns = 0;
  std::int64_t wasted_work_ns = 0;  // of the members that did not win

  // Of the work of the cancelled groups; 0 where there is none.
  [[nodiscard]] double wasted_share() const noexcept {
    const double work = static_cast<double>(winner_work_ns) + static_cast<double>(wasted_work_ns);
    return work > 0 ? static_cast<double>(wasted_work_ns) / work : 0;
  }
};

}  // namespace foretask::analysis
