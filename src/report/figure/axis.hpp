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

struct TimeAxis {
  std::string unit;         // ns, us, ms or s
  std::vector<Tick> ticks;  // at ns
};

[[nodiscard]] TimeAxis time_axis(double last_ns, int most);

}  // namespace foretask::report
