// SPDX-License-Identifier: Apache-2.0
// Or-parallel sections: taskgroups that one of their tasks cancels. The first solution wins; the others' work is lost.
// Definitions: docs/analysis.md.
#pragma once

#include <cstdint>
#include <string>

namespace foretask::analysis {

// In ns by the recording's clock, probes included.
struct SpeculativeTimes {
  double mean = 0;
  double sd = 0;  // divided by n - 1; 0 for one
  double p50 = 0;
  double p90 = 0;
};

// All groups of one kernel of searches. A group's members are the tasks that its taskgroup waits for, whoever created
// them. Inner taskgroups' work counts for their member.
struct SpeculativeSection {
  std::string name;             // the searches' kernel, as in Report::kernels
  std::uint32_t kernel = 0;     // its index in TaskGraph::kernel_names
  std::uint64_t groups = 0;     // executions
  std::uint64_t cancelled = 0;  // of these, with a winner
  // Of all groups. A member won, ended without winning, was cut short, or never ran.
  std::uint64_t members = 0;
  std::uint64_t ended = 0;
  std::uint64_t cut_short = 0;
  std::uint64_t never_ran = 0;
  // Of the cancelled groups.
  SpeculativeTimes winner_ns;  // from a group's begin to its cancellation
  double left_ns = 0;          // mean, from the cancellation until the group's owner goes on
  std::int64_t winner_work_ns = 0;
  std::int64_t wasted_work_ns = 0;  // of members that did not win

  // Share of the cancelled groups' work; 0 where there is none.
  [[nodiscard]] double wasted_share() const noexcept {
    const double work = static_cast<double>(winner_work_ns) + static_cast<double>(wasted_work_ns);
    return work > 0 ? static_cast<double>(wasted_work_ns) / work : 0;
  }
};

}  // namespace foretask::analysis
