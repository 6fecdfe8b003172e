// SPDX-License-Identifier: Apache-2.0
#include "report/figure/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr std::array<std::pair<const char*, double>, 4> kUnits{{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};

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

// The largest unit that `last_ns` is at least one of.
const std::pair<const char*, double>& unit_of(double last_ns) {
  const auto* const found =
      std::find_if(kUnits.begin(), kUnits.end(), [last_ns](const auto& unit) { return last_ns >= unit.second; });
  return found == kUnits.end() ? kUnits.back() : *found;
}

}  // namespace

void Extent::take(double value) {
  const bool is_shown = value > 0 && std::isfinite(value);
  has_others = has_others || !is_shown;
  if (!is_shown) return;
  low = low == 0 ? value : std::min(low, value);
  high = std::max(high, value);
}

std::vector<Tick> count_ticks(double last, int most) {
  if (last <= 0) return {{0, "0"}};
  return ticks(last, std::max(tick_step(last, most), 1.0), 1);
}

std::vector<double> log_places(double first, double last) {
  constexpr std::size_t kMost = 9;
  for (const std::vector<double>& factors : {std::vector<double>{1, 2, 5}, std::vector<double>{1}}) {
    std::vector<double> all;
    for (double power = std::pow(10, std::floor(std::log10(first))); power <= last; power *= 10)
      for (const double factor : factors)
        if (factor * power >= first && factor * power <= last) all.push_back(factor * power);
    if (all.size() > 1 && all.size() <= kMost) return all;
  }
  return {first, last};
}

Axis time_axis(const std::string& title, double last_ns, int most) {
  const auto& [unit, ns] = unit_of(last_ns);
  const std::string unit_title = fmt::format("{} ({})", title, unit);
  if (last_ns < ns) return {unit_title, 0, last_ns, {{0, "0"}}};
  return {unit_title, 0, last_ns, ticks(last_ns, tick_step(last_ns, most), ns)};
}

Axis log_time_axis(const std::string& title, double first_ns, double last_ns) {
  const auto& [unit, ns] = unit_of(last_ns);
  Axis axis{fmt::format("{} ({})", title, unit), first_ns, last_ns, {}, true};
  for (const double at : log_places(first_ns, last_ns)) axis.ticks.push_back({at, fmt::format("{:.3g}", at / ns)});
  return axis;
}

Axis core_axis(const std::vector<double>& cores) {
  Axis axis{"cores", cores.front(), cores.back(), {}, true};
  for (const double count : cores) axis.ticks.push_back({count, format_count(static_cast<std::uint64_t>(count))});
  return axis;
}

}  // namespace foretask::report
