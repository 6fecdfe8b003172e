// SPDX-License-Identifier: Apache-2.0
// Where an axis has its ticks, and what they are called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foretask::report {

struct Tick {
  double at = 0;  // in the axis' own unit
  std::string label;
};

// Multiples of 1, 2 or 5 times a power of ten in [0, last], at most `most` and 0 among them; whole numbers only.
[[nodiscard]] std::vector<Tick> count_ticks(double last, int most);

// Of a logarithmic axis: 1, 2 and 5 times powers of ten in [first, last]; only the powers where these are more than
// nine; both ends where there are not two. `first` is above 0.
[[nodiscard]] std::vector<double> log_places(double first, double last);

struct TimeAxis {
  std::string unit;         // ns, us, ms or s
  std::vector<Tick> ticks;  // at ns
};

[[nodiscard]] TimeAxis time_axis(double last_ns, int most);
// At log_places().
[[nodiscard]] TimeAxis log_time_axis(double first_ns, double last_ns);

}  // namespace foretask::report
