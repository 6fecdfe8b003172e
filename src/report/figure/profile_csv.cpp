// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/figure/profile_export.hpp"

namespace foretask::report {

void write_profile_csv(const BusyProfile& profile, Output& output) {
  output.write("time_ns,busy\n");
  BusyCursor cursor(profile);
  fmt::memory_buffer row;
  for (BusyStep step; !output.failed() && cursor.next(step);) {
    row.clear();
    fmt::format_to(std::back_inserter(row), "{},{}\n", step.time_ns, step.busy);
    output.write({row.data(), row.size()});
  }
}

void write_profile_csv(const BusyProfile& before, const BusyProfile& after, Output& output) {
  output.write("time_ns,busy_before,busy_after\n");
  BusyCursor left(before);
  BusyCursor right(after);
  BusyStep left_step;
  BusyStep right_step;
  bool has_left = left.next(left_step);
  bool has_right = right.next(right_step);
  std::uint32_t busy_before = 0;
  std::uint32_t busy_after = 0;
  fmt::memory_buffer row;
  while (!output.failed() && (has_left || has_right)) {
    std::int64_t now_ns = has_left ? left_step.time_ns : right_step.time_ns;
    if (has_right) now_ns = std::min(now_ns, right_step.time_ns);
    if (has_left && left_step.time_ns == now_ns) {
      busy_before = left_step.busy;
      has_left = left.next(left_step);
    }
    if (has_right && right_step.time_ns == now_ns) {
      busy_after = right_step.busy;
      has_right = right.next(right_step);
    }
    row.clear();
    fmt::format_to(std::back_inserter(row), "{},{},{}\n", now_ns, busy_before, busy_after);
    output.write({row.data(), row.size()});
  }
}

}  // namespace foretask::report
