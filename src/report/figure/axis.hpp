// SPDX-License-Identifier: Apache-2.0
// The axes of charts: what they extend over, where they have their ticks, and what these are called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foretask::report {

struct Tick {
  double at = 0;  // in the axis' own unit
  std::string label;
};

struct Axis {
  std::string title;
  double first = 0;
  double last = 1;
  std::vector<Tick> ticks;
  bool is_logarithmic = false;  // then `first` is above 0
};

// The least and the most of those numbers that a logarithmic axis can show.
struct Extent {
  double low = 0;  // 0: there are none
  double high = 0;
  bool has_others = false;  // at or below 0, or infinite

  void take(double value);
};

// Multiples of 1, 2 or 5 times a power of ten in [0, last], at most `most` and 0 among them; whole numbers only.
[[nodiscard]] std::vector<Tick> count_ticks(double last, int most);

// Of a logarithmic axis: 1, 2 and 5 times powers of ten in [first, last]; only the powers where these are more than
// nine; both ends where there are not two. `first` is above 0.
[[nodiscard]] std::vector<double> log_places(double first, double last);

// The title gets a unit: "time (ms)". Times and places are in ns.
[[nodiscard]] Axis time_axis(const std::string& title, double last_ns, int most);
// With ticks at log_places().
[[nodiscard]] Axis log_time_axis(const std::string& title, double first_ns, double last_ns);

// Logarithmic, with a tick for each of these numbers of cores; they ascend.
[[nodiscard]] Axis core_axis(const std::vector<double>& cores);

}  // namespace foretask::report
