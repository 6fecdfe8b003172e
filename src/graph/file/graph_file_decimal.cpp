// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_decimal.hpp"

#include <array>
#include <limits>

namespace foretask::graph {
namespace {

constexpr std::uint64_t kMantissaLimit = 1'000'000'000'000'000'000;  // below it one more digit fits
constexpr int kMantissaDigits = 19;
constexpr std::int64_t kExponentLimit = 1'000'000'000'000;  // beyond any value's reach, far from overflow

constexpr std::array<std::uint64_t, 20> kPowerOfTen = [] {
  std::array<std::uint64_t, 20> power{};
  power[0] = 1;
  for (std::size_t i = 1; i < power.size(); ++i) power[i] = power[i - 1] * 10;
  return power;
}();

bool is_digit(const char* at, const char* end) noexcept {
  return at != end && static_cast<unsigned char>(*at - '0') < 10;
}

// False where the digit had no place in the mantissa.
bool take_digit(Decimal& value, unsigned digit, bool& full) noexcept {
  if (!full && value.mantissa < kMantissaLimit) {
    value.mantissa = value.mantissa * 10 + digit;
    return true;
  }
  if (!full) {
    full = true;
    value.dropped_digit = static_cast<std::uint8_t>(digit);
  }
  value.dropped_nonzero |= digit != 0;
  return false;
}

std::optional<std::int64_t> with_sign(std::uint64_t magnitude, bool negative) noexcept {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  if (magnitude > kLargest + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

}  // namespace

const char* scan_decimal(const char* at, const char* end, Decimal& value) noexcept {
  value = {};
  if (at != end && *at == '-') {
    value.negative = true;
    ++at;
  }
  if (!is_digit(at, end)) return nullptr;
  bool full = false;
  if (*at == '0') {
    ++at;
    if (is_digit(at, end)) return nullptr;  // JSON has no leading zeros
  } else {
    for (; is_digit(at, end); ++at) {
      if (!take_digit(value, static_cast<unsigned>(*at - '0'), full)) ++value.exponent;
    }
  }
  if (at != end && *at == '.') {
    ++at;
    if (!is_digit(at, end)) return nullptr;
    for (; is_digit(at, end); ++at) {
      if (take_digit(value, static_cast<unsigned>(*at - '0'), full)) --value.exponent;
    }
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    bool negative = false;
    if (at != end && (*at == '+' || *at == '-')) {
      negative = *at == '-';
      ++at;
    }
    if (!is_digit(at, end)) return nullptr;
    std::int64_t exponent = 0;
    for (; is_digit(at, end); ++at) {
      if (exponent < kExponentLimit) exponent = exponent * 10 + (*at - '0');
    }
    value.exponent += negative ? -exponent : exponent;
  }
  return at;
}

std::optional<std::int64_t> scaled_to_integer(const Decimal& value, int power) noexcept {
  if (value.is_zero()) return 0;
  const std::int64_t exponent = value.exponent + power;
  std::uint64_t magnitude = value.mantissa;
  unsigned next_digit = 0;  // the first behind the point decides: half and more goes up
  if (exponent > 0) {
    if (exponent > kMantissaDigits) return std::nullopt;
    const std::uint64_t factor = kPowerOfTen[static_cast<std::size_t>(exponent)];
    if (__builtin_mul_overflow(magnitude, factor, &magnitude)) return std::nullopt;
  } else if (exponent == 0) {
    next_digit = value.dropped_digit;
  } else if (exponent >= -kMantissaDigits) {
    next_digit = static_cast<unsigned>(magnitude / kPowerOfTen[static_cast<std::size_t>(-exponent - 1)] % 10);
    magnitude /= kPowerOfTen[static_cast<std::size_t>(-exponent)];
  } else {
    magnitude = 0;
  }
  if (next_digit >= 5) ++magnitude;  // the mantissa stays below 10^19: no overflow
  return with_sign(magnitude, value.negative);
}

std::optional<std::int64_t> exact_integer(const Decimal& value) noexcept {
  if (value.is_zero()) return 0;
  if (value.exponent >= 0) {
    if (value.dropped_nonzero && value.exponent == 0) return std::nullopt;
    return scaled_to_integer(value, 0);
  }
  if (value.exponent < -kMantissaDigits || value.dropped_nonzero) return std::nullopt;
  if (value.mantissa % kPowerOfTen[static_cast<std::size_t>(-value.exponent)] != 0) return std::nullopt;
  return scaled_to_integer(value, 0);
}

}  // namespace foretask::graph
