// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_cursor.hpp"

#include <array>
#include <charconv>
#include <system_error>
#include <vector>

#include "base/utf8.hpp"

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

// Deeper values are refused: no task's annotation needs them, and the reader's memory stays bounded.
constexpr std::size_t kMaxDepth = 512;

// What a message shows of the text at hand.
std::string shown(const char* at, const char* end) {
  if (at == end) return "the end of the line";
  const auto byte = static_cast<unsigned char>(*at);
  if (byte > 0x20 && byte < 0x7f) return std::string("'") + *at + "'";
  constexpr const char* kHex = "0123456789abcdef";
  return std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
}

}  // namespace

bool LineCursor::fail(std::string what) {
  if (problem_.empty()) problem_ = std::move(what);
  at_ = end_;
  return false;
}

bool LineCursor::fail_expected(char wanted) {
  return fail(std::string("expected '") + wanted + "', found " + shown(at_, end_));
}

bool LineCursor::expect_end() {
  peek();
  return at_ == end_ || fail("unexpected " + shown(at_, end_) + " after the object");
}

bool LineCursor::string(std::string_view& text, std::string& scratch) {
  if (!take('"')) return fail("expected a string, found " + shown(at_, end_));
  const char* const begin = at_;
  for (; at_ != end_; ++at_) {
    const auto byte = static_cast<unsigned char>(*at_);
    if (byte == '"') {
      text = {begin, static_cast<std::size_t>(at_ - begin)};
      ++at_;
      return true;
    }
    if (byte == '\\' || byte < 0x20 || byte >= 0x80) return string_slow(begin, text, scratch);
  }
  return fail("a string has no end");
}

// The rest of a string that holds an escape or more than ASCII: `begin` to the cursor is plain.
bool LineCursor::string_slow(const char* begin, std::string_view& text, std::string& scratch) {
  scratch.assign(begin, at_);
  while (at_ != end_) {
    const auto byte = static_cast<unsigned char>(*at_);
    if (byte == '"') {
      ++at_;
      text = scratch;
      return true;
    }
    if (byte < 0x20) return fail("a control character in a string: " + shown(at_, end_));
    if (byte == '\\') {
      ++at_;
      if (!escape(scratch)) return false;
      continue;
    }
    const std::size_t length = base::utf8_length(at_, end_);
    if (length == 0) return fail("a string is not UTF-8: " + shown(at_, end_));
    scratch.append(at_, length);
    at_ += length;
  }
  return fail("a string has no end");
}

bool LineCursor::escape(std::string& text) {
  if (at_ == end_) return fail("a string has no end");
  switch (*at_++) {
    case '"':
      text += '"';
      return true;
    case '\\':
      text += '\\';
      return true;
    case '/':
      text += '/';
      return true;
    case 'b':
      text += '\b';
      return true;
    case 'f':
      text += '\f';
      return true;
    case 'n':
      text += '\n';
      return true;
    case 'r':
      text += '\r';
      return true;
    case 't':
      text += '\t';
      return true;
    case 'u':
      break;
    default:
      return fail("an unknown escape in a string");
  }
  unsigned code = 0;
  if (!hex4(code)) return false;
  if (code >= 0xdc00 && code < 0xe000) return fail("a lone surrogate in a string");
  if (code >= 0xd800 && code < 0xdc00) {
    unsigned low = 0;
    if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return fail("a lone surrogate in a string");
    at_ += 2;
    if (!hex4(low)) return false;
    if (low < 0xdc00 || low >= 0xe000) return fail("a lone surrogate in a string");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  base::append_utf8(text, code);
  return true;
}

bool LineCursor::hex4(unsigned& code) {
  if (end_ - at_ < 4) return fail("\\u needs four hexadecimal digits");
  code = 0;
  for (int i = 0; i < 4; ++i) {
    const char digit = *at_++;
    code <<= 4;
    if (digit >= '0' && digit <= '9') {
      code += static_cast<unsigned>(digit - '0');
    } else if (digit >= 'a' && digit <= 'f') {
      code += static_cast<unsigned>(digit - 'a') + 10;
    } else if (digit >= 'A' && digit <= 'F') {
      code += static_cast<unsigned>(digit - 'A') + 10;
    } else {
      return fail("\\u needs four hexadecimal digits");
    }
  }
  return true;
}

bool LineCursor::number(Decimal& value, std::string_view what) {
  const char first = peek();
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  // What some programs write for numbers that JSON does not have.
  if (first == 'N' || first == 'I' || rest.starts_with("-I") || rest.starts_with("nan") || rest.starts_with("inf")) {
    return fail(std::string(what) + " is not a finite number");
  }
  const char* const behind = scan_decimal(at_, end_, value);
  if (behind == nullptr) return fail(std::string(what) + ": expected a number, found " + shown(at_, end_));
  at_ = behind;
  return true;
}

bool LineCursor::number(std::optional<double>& value, std::string_view what) {
  peek();
  const char* const begin = at_;
  Decimal decimal;
  if (!number(decimal, what)) return false;
  double nearest = 0;
  value.reset();
  if (std::from_chars(begin, at_, nearest).ec == std::errc{}) value = nearest;
  return true;
}

bool LineCursor::literal() {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  for (const std::string_view word : {std::string_view("true"), std::string_view("false"), std::string_view("null")}) {
    if (rest.starts_with(word)) {
      at_ += word.size();
      return true;
    }
  }
  Decimal ignored;
  return number(ignored, "a value");
}

bool LineCursor::skip() {
  std::vector<char> open;  // '{' or '[' of each value that we are inside of
  std::string scratch;
  std::string_view text;
  for (;;) {
    const char first = peek();
    if (first == '{' || first == '[') {
      ++at_;
      if (!take(first == '{' ? '}' : ']')) {
        if (open.size() == kMaxDepth) return fail("a value is nested too deeply");
        open.push_back(first);
        if (first == '{' && !(string(text, scratch) && expect(':'))) return false;
        continue;
      }
    } else if (first == '"') {
      if (!string(text, scratch)) return false;
    } else if (!literal()) {
      return false;
    }
    // A value is complete: close what ends here, then go on to the next one, or leave.
    for (;;) {
      if (open.empty()) return true;
      if (take(',')) {
        if (open.back() == '{' && !(string(text, scratch) && expect(':'))) return false;
        break;
      }
      if (!expect(open.back() == '{' ? '}' : ']')) return false;
      open.pop_back();
    }
  }
}

bool read_time(LineCursor& cursor, std::string_view what, int unit_power, std::int64_t& time_ns) {
  if (unit_power == 0 && cursor.short_integer(time_ns)) {
    return time_ns >= 0 || cursor.fail(std::string(what) + " is negative");
  }
  Decimal value;
  if (!cursor.number(value, what)) return false;
  if (value.negative && !value.is_zero()) return cursor.fail(std::string(what) + " is negative");
  const auto ns = scaled_to_integer(value, unit_power);
  if (!ns) return cursor.fail(std::string(what) + " does not fit in 63 bits of nanoseconds");
  time_ns = *ns;
  return true;
}

bool read_integer(LineCursor& cursor, std::string_view what, std::int64_t lowest, std::int64_t highest,
                  std::int64_t& value) {
  if (!cursor.short_integer(value)) {
    Decimal decimal;
    if (!cursor.number(decimal, what)) return false;
    const auto integer = exact_integer(decimal);
    if (!integer) return cursor.fail(std::string(what) + " is not an integer of 64 bits");
    value = *integer;
  }
  if (value >= lowest && value <= highest) [[likely]]
    return true;
  return cursor.fail(std::string(what) + (value < 0 && lowest == 0 ? " is negative" : " is out of range"));
}

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
