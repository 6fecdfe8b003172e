// SPDX-License-Identifier: Apache-2.0
#include "report/loop_parts.hpp"

#include <fmt/format.h>

#include "report/units.hpp"

namespace foretask::report {

double loop_parts_share(const analysis::Report& report) {
  return ratio(static_cast<double>(report.loop_parts_span_ns), static_cast<double>(report.span_ns));
}

std::string loop_parts_words(double share, std::uint32_t workers) {
  constexpr double kMuch = 0.1;
  if (share < kMuch) return {};
  return fmt::format(
      "Parts of loops are {} of the critical path, as they were on {}. The runtime divides a loop by the number of its "
      "threads, unless the program sets the parts' size (simple_partitioner): with more threads the parts are smaller",
      format_share(share), format_count(workers, "worker", "workers"));
}

}  // namespace foretask::report
