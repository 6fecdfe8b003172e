// SPDX-License-Identifier: Apache-2.0
#include "report/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace foretask::report {

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

std::vector<std::size_t> even_choice(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen(std::min(count, most));
  for (std::size_t i = 1; i < chosen.size(); ++i) chosen[i] = i * (count - 1) / (chosen.size() - 1);
  return chosen;
}

}  // namespace foretask::report
