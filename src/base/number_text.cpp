// SPDX-License-Identifier: Apache-2.0
#include "base/number_text.hpp"

#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace foretask::base {
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

}  // namespace

std::string text_of(const char* format, ...) {
  std::array<char, 256> text;
  std::va_list values;
  va_start(values, format);
  const int size = std::vsnprintf(text.data(), text.size(), format, values);
  va_end(values);
  return size < 0 ? std::string() : std::string(text.data());
}

std::string number_text(double value, int digits) { return text_of("%.*g", digits, value); }

std::string three_digits(double value) {
  const double size = std::abs(value);
  return text_of("%.*f", size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2, value);
}

std::string format_ns(double ns) {
  if (!std::isfinite(ns)) return "-";
  const double size = std::abs(ns);
  if (size >= kMostYears * kNsPerYear) return text_of("%.1e years", ns / kNsPerYear);
  if (size >= kMostDays * kNsPerDay) return three_digits(ns / kNsPerYear) + " years";
  if (size >= kNsPerDay) return three_digits(ns / kNsPerDay) + " days";
  if (size >= kNsPerHour) return three_digits(ns / kNsPerHour) + " h";
  if (size >= kNsPerMinute) {
    const double minutes = std::trunc(ns / kNsPerMinute);
    return text_of("%.0f min %.0f s", minutes, std::abs(std::trunc((ns - minutes * kNsPerMinute) / 1e9)));
  }
  if (size < 1000) return text_of("%.*f ns", size == std::floor(size) ? 0 : 1, ns);
  for (const Unit& unit : kUnits) {
    // 999.6 us reads better as 1.00 ms than as 1000 us.
    if (size >= unit.ns * 0.9995) return three_digits(ns / unit.ns) + " " + unit.name;
  }
  return text_of("%.0f ns", ns);
}

}  // namespace foretask::base
