// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_cursor.hpp"

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "catch.hpp"

using namespace foretask::graph;

namespace {

// The number times 10^power; nothing where the text is no number or the result does not fit.
std::optional<std::int64_t> scaled(std::string_view text, int power) {
  Decimal value;
  const char* const end = text.data() + text.size();
  if (scan_decimal(text.data(), end, value) != end) return std::nullopt;
  return scaled_to_integer(value, power);
}

std::optional<std::int64_t> exact(std::string_view text) {
  Decimal value;
  const char* const end = text.data() + text.size();
  if (scan_decimal(text.data(), end, value) != end) return std::nullopt;
  return exact_integer(value);
}

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("decimals become integers without a detour through binary fractions") {
  CHECK(scaled("12.5", 3) == 12500);
  CHECK(scaled("0.0001", 9) == 100000);
  CHECK(scaled("6.1", 3) == 6100);
  CHECK(scaled("0.1", 9) == 100000000);
  CHECK(scaled("1.005", 3) == 1005);
  CHECK(scaled("8.589973", 9) == 8589973000);
  CHECK(scaled("1e-9", 9) == 1);
  CHECK(scaled("2.5e3", 3) == 2500000);
  CHECK(scaled("25E-1", 0) == 3);
  CHECK(scaled("0e999999999999999999999", 3) == 0);
  CHECK(scaled("-0.0", 3) == 0);
}

TEST_CASE("halves go away from zero, by the digits as they are written") {
  CHECK(scaled("0.5", 0) == 1);
  CHECK(scaled("1.5", 0) == 2);
  CHECK(scaled("2.5", 0) == 3);
  CHECK(scaled("-2.5", 0) == -3);
  CHECK(scaled("2.4999999999999999999999999999", 0) == 2);
  CHECK(scaled("0.4999999999999999999999999999", 0) == 0);
  CHECK(scaled("0.0005", 3) == 1);
  CHECK(scaled("0.00049999", 3) == 0);
  // 1.0005 lies below its decimal value as a double.
  CHECK(scaled("1.0005", 3) == 1001);
  CHECK(scaled("1e-400", 9) == 0);
}

TEST_CASE("numbers of any length are exact as far as 64 bits go") {
  CHECK(scaled("9223372036854775807", 0) == kLargest);
  CHECK(scaled("9223372036854775807.4", 0) == kLargest);
  CHECK(scaled("9223372036854775807.5", 0) == std::nullopt);
  CHECK(scaled("9223372036854775808", 0) == std::nullopt);
  CHECK(scaled("-9223372036854775808", 0) == std::numeric_limits<std::int64_t>::min());
  CHECK(scaled("9223372036.854775807", 9) == kLargest);
  CHECK(scaled("9223372036.8547758074999", 9) == kLargest);
  CHECK(scaled("9223372036.8547758075", 9) == std::nullopt);
  CHECK(scaled("0.000000000000000000000000000000012345e33", 0) == 12);
  CHECK(scaled("1000000000000000000000e-20", 0) == 10);
  CHECK(scaled("123456789012345678901234567890e-20", 0) == 1234567890);
  CHECK(scaled("1e19", 0) == std::nullopt);
  CHECK(scaled("1e999", 0) == std::nullopt);
  CHECK(scaled(std::string(1000, '9'), 0) == std::nullopt);
}

TEST_CASE("only JSON's numbers are numbers") {
  for (const char* text :
       {"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "--1", "0x10", "1_000", "NaN", "Infinity", "1,5", "1 "}) {
    CAPTURE(text);
    CHECK(scaled(text, 0) == std::nullopt);
  }
}

TEST_CASE("an integer may be written in any way that is exact") {
  CHECK(exact("42") == 42);
  CHECK(exact("-7") == -7);
  CHECK(exact("42.0") == 42);
  CHECK(exact("4.2e1") == 42);
  CHECK(exact("1e18") == 1000000000000000000);
  CHECK(exact("420e-1") == 42);
  CHECK(exact("42.5") == std::nullopt);
  CHECK(exact("1e-1") == std::nullopt);
  CHECK(exact("1.00000000000000000000000001") == std::nullopt);
  CHECK(exact("9223372036854775808") == std::nullopt);
}
