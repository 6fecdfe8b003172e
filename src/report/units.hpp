// SPDX-License-Identifier: Apache-2.0
// Figures for people: times in the unit that leaves one to three digits before the point, grouped counts, percents.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/number_text.hpp"

namespace foretask::report {

using base::format_ns;
using base::parse_number;

template <std::integral Number>
[[nodiscard]] std::string format_ns(Number ns) {
  return base::format_ns(static_cast<double>(ns));
}

// 1234567 -> "1,234,567".
[[nodiscard]] std::string format_count(std::uint64_t count);

// "1 task", "1,234 tasks".
[[nodiscard]] std::string format_count(std::uint64_t count, const char* one, const char* many);

// 0.1234 -> "12.3 %"; "<0.1 %" where it is not nothing; "-" where it is not a number.
[[nodiscard]] std::string format_share(double share);

// 0.1234 -> 12.34; 0 where one digit behind the point would read "-0.0".
[[nodiscard]] double in_percent(double change) noexcept;

// At most `most` of the places 0 to count - 1, evenly over all of them, the first and the last among them.
[[nodiscard]] std::vector<std::size_t> even_choice(std::size_t count, std::size_t most);

// part / whole, 0 where there is no whole.
template <typename Part, typename Whole>
[[nodiscard]] double ratio(Part part, Whole whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace foretask::report
