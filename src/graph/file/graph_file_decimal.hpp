// SPDX-License-Identifier: Apache-2.0
// Decimal numbers of a task-graph file, kept as their digits, so that 12.5 us is 12500 ns and no binary rounding
// comes between.
#pragma once

#include <cstdint>
#include <optional>

namespace foretask::graph {

// (negative ? -1 : 1) * mantissa * 10^exponent, plus the digits that did not fit the mantissa: dropped_digit is the
// first of them, dropped_nonzero says whether any of them is above 0.
struct Decimal {
  std::uint64_t mantissa = 0;  // the first 19 significant digits
  std::int64_t exponent = 0;
  std::uint8_t dropped_digit = 0;
  bool dropped_nonzero = false;
  bool negative = false;

  [[nodiscard]] bool is_zero() const noexcept { return mantissa == 0; }
};

// Reads one JSON number from [at, end). Returns the first character behind it, or nullptr where none begins at `at`.
[[nodiscard]] const char* scan_decimal(const char* at, const char* end, Decimal& value) noexcept;

// value * 10^power rounded to the nearest integer, halves away from zero; nothing when it does not fit.
[[nodiscard]] std::optional<std::int64_t> scaled_to_integer(const Decimal& value, int power) noexcept;

// The value where it is an integer that fits.
[[nodiscard]] std::optional<std::int64_t> exact_integer(const Decimal& value) noexcept;

}  // namespace foretask::graph
