// SPDX-License-Identifier: Apache-2.0
// Numbers, times and lists as text for people; numbers and parts from text. Any thread.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace foretask::base {

// All of `text`, or nothing: no blank and no sign '+', whatever the locale.
template <typename Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) noexcept {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "a, b, c".
template <typename Words>
[[nodiscard]] std::string joined(const Words& words, std::string_view separator = ", ") {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : separator).append(word);
  return text;
}

// Takes off `list` what stands before the first `separator`, and that; all of it where there is none.
[[nodiscard]] inline std::string_view take_part(std::string_view& list, char separator) noexcept {
  const std::string_view part = list.substr(0, list.find(separator));
  list.remove_prefix(std::min(list.size(), part.size() + 1));
  return part;
}

// As printf writes it.
[[nodiscard, gnu::format(printf, 1, 2)]] std::string text_of(const char* format, ...);

// With so many significant digits, as printf's %g.
[[nodiscard]] std::string number_text(double value, int digits = 4);

// Three significant digits without an exponent; more before the point.
[[nodiscard]] std::string three_digits(double value);

// "0 ns", "950 ns", "12.3 us", "4 min 10 s", "2.50 h", "36.1 days", "2.74 years": the unit that leaves one to three
// digits before the point, three digits below a minute and from an hour on. "-" where it is not finite.
[[nodiscard]] std::string format_ns(double ns);

}  // namespace foretask::base
