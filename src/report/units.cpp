// SPDX-License-Identifier: Apache-2.0
#include "report/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace foretask::report {
namespace {

struct Unit {
  double ns;
  const char* name;
};
constexpr std::array kUnits{Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "us"}, Unit{1, "ns"}};
constexpr double kNsPerMinute = 60e9;
constexpr double kNsPerHour = 3600e9;
constexpr double kNsPerDay = 24 * kNsPerHour;
constexpr double kNsPerYear = 365.25 * kNsPerDay;
constexpr double kMostDays = 1000;
constexpr double kMostYears = 10'000;  // beyond, the digits say nothing

// Three significant digits without an exponent.
std::string three_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

}  // namespace

std::string format_ns(double ns) {
  if (!std::isfinite(ns)) return "-";
  const double size = std::abs(ns);
  if (size >= kMostYears * kNsPerYear) return fmt::format("{:.1e} years", ns / kNsPerYear);
  if (size >= kMostDays * kNsPerDay) return three_digits(ns / kNsPerYear) + " years";
  if (size >= kNsPerDay) return three_digits(ns / kNsPerDay) + " days";
  if (size >= kNsPerHour) return three_digits(ns / kNsPerHour) + " h";
  if (size >= kNsPerMinute) {
    const double minutes = std::trunc(ns / kNsPerMinute);
    return fmt::format("{:.0f} min {:.0f} s", minutes, std::abs(std::trunc((ns - minutes * kNsPerMinute) / 1e9)));
  }
  if (size < 1000) return fmt::format("{:.{}f} ns", ns, size == std::floor(size) ? 0 : 1);
  for (const Unit& unit : kUnits) {
    // 999.6 us reads better as 1.00 ms than as 1000 us.
    if (size >= unit.ns * 0.9995) return fmt::format("{} {}", three_digits(ns / unit.ns), unit.name);
  }
  return fmt::format("{:.0f} ns", ns);
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string format_count(std::uint64_t count, const char* one, const char* many) {
  return format_count(count) + " " + (count == 1 ? one : many);
}

std::string format_share(double share) {
  if (!std::isfinite(share)) return "-";
  if (share > 0 && share < 0.001) return "<0.1 %";
  return fmt::format("{:.1f} %", 100 * share);
}

double in_percent(double change) noexcept { return std::abs(change) < 0.0005 ? 0 : 100 * change; }

double ratio(double part, double whole) noexcept { return whole == 0 ? 0 : part / whole; }

}  // namespace foretask::report
