// SPDX-License-Identifier: Apache-2.0
// A strict JSON reader over one line, made for task-graph files: it walks the text once and keeps nothing. The first
// failure sticks: it says what was wrong, and every later step returns false. And its numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace foretask::graph {

// Decimal numbers of a task-graph file, kept as their digits, so that 12.5 us is 12500 ns and no binary rounding comes
// between.
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

class LineCursor {
 public:
  explicit LineCursor(std::string_view line) noexcept : at_(line.data()), end_(line.data() + line.size()) {}

  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  bool fail(std::string what);

  // The next character that is not white space, '\0' at the end of the line.
  char peek() noexcept {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
    return at_ == end_ ? '\0' : *at_;
  }
  // Takes `wanted` where it is next.
  [[nodiscard]] bool take(char wanted) noexcept {
    if (peek() != wanted || at_ == end_) return false;
    ++at_;
    return true;
  }
  bool expect(char wanted) {
    if (take(wanted)) [[likely]]
      return true;
    return fail_expected(wanted);
  }
  bool expect_end();

  // A string, unescaped: a piece of the line where nothing was escaped, else of `scratch`.
  bool string(std::string_view& text, std::string& scratch);
  // HOT: most numbers are plain integers of at most 18 digits. False where another kind of number, or none, is next.
  [[nodiscard]] bool short_integer(std::int64_t& value) noexcept {
    peek();
    const char* at = at_;
    const bool negative = at != end_ && *at == '-';
    if (negative) ++at;
    const char* const digits = at;
    std::int64_t magnitude = 0;
    while (at != end_ && static_cast<unsigned char>(*at - '0') < 10) {
      if (at - digits == kShortDigits) return false;
      magnitude = magnitude * 10 + (*at++ - '0');
    }
    const std::ptrdiff_t length = at - digits;
    if (length == 0 || (length > 1 && *digits == '0')) return false;
    if (at != end_ && (*at == '.' || *at == 'e' || *at == 'E')) return false;
    value = negative ? -magnitude : magnitude;
    at_ = at;
    return true;
  }
  // Any number. `what` names it in the message.
  bool number(Decimal& value, std::string_view what);
  // Whether a number, right or wrong, is next: no other kind of value.
  [[nodiscard]] bool at_number() noexcept {
    const char first = peek();
    return first == '-' || (first >= '0' && first <= '9');
  }
  // Any number, rounded to the nearest double; nothing in `value` where none is that large or that small.
  bool number(std::optional<double>& value, std::string_view what);
  // Takes true or false; nothing where another value is next.
  [[nodiscard]] std::optional<bool> boolean() noexcept {
    peek();
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    const bool is_true = rest.starts_with("true");
    if (!is_true && !rest.starts_with("false")) return std::nullopt;
    at_ += is_true ? 4 : 5;
    return is_true;
  }
  // Any value, checked and left out.
  bool skip();

 private:
  static constexpr std::ptrdiff_t kShortDigits = 18;  // any so long fits 64 bits

  bool fail_expected(char wanted);
  bool string_slow(const char* begin, std::string_view& text, std::string& scratch);
  bool escape(std::string& text);
  bool hex4(unsigned& code);
  bool literal();

  const char* at_;
  const char* end_;
  std::string problem_;
};

inline constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

// Calls member(key) for each member of the object at the cursor.
template <typename Member>
bool read_object(LineCursor& cursor, Member member) {
  if (!cursor.expect('{')) return false;
  if (cursor.take('}')) return true;
  std::string scratch;
  do {
    std::string_view key;
    if (!cursor.string(key, scratch) || !cursor.expect(':') || !member(key)) return false;
  } while (cursor.take(','));
  return cursor.expect('}');
}

// A length of time in ns: not negative, in range once it is nanoseconds. `what` names it in the message.
bool read_time(LineCursor& cursor, std::string_view what, int unit_power, std::int64_t& time_ns);

// An integer from `lowest` to `highest`.
bool read_integer(LineCursor& cursor, std::string_view what, std::int64_t lowest, std::int64_t highest,
                  std::int64_t& value);

}  // namespace foretask::graph
