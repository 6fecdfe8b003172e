// SPDX-License-Identifier: Apache-2.0
#include "report/figure/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace foretask::report {
namespace {

// The smallest of 1, 2 and 5 times a power of ten that gives at most `most` ticks.
double tick_step(double last, int most) {
  const double least = last / std::max(most - 1, 1);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

// `scale`: of the axis' own unit in one of the label's.
std::vector<Tick> ticks(double last, double step, double scale) {
  std::vector<Tick> found;
  // Counted, not added up; a last tick that rounding puts past the end counts.
  for (int i = 0; i * step <= last * (1 + 1e-9); ++i)
    found.push_back({i * step, fmt::format("{:.6g}", i * step / scale)});
  return found;
}

}  // namespace

std::vector<Tick> count_ticks(double last, int most) {
  if (last <= 0) return {{0, "0"}};
  return ticks(last, std::max(tick_step(last, most), 1.0), 1);
}

TimeAxis time_axis(double last_ns, int most) {
  constexpr std::array<std::pair<const char*, double>, 4> kUnits{{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};
  for (const auto& [unit, ns] : kUnits) {
    if (last_ns >= ns) return {unit, ticks(last_ns, tick_step(last_ns, most), ns)};
  }
  return {"ns", {{0, "0"}}};
}

}  // namespace foretask::report
