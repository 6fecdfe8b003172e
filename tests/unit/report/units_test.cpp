// SPDX-License-Identifier: Apache-2.0
#include "report/units.hpp"

#include <limits>

#include "catch.hpp"

using namespace foretask::report;

TEST_CASE("times are printed in the unit that suits them") {
  CHECK(format_ns(0) == "0 ns");
  CHECK(format_ns(1) == "1 ns");
  CHECK(format_ns(12.5) == "12.5 ns");
  CHECK(format_ns(999) == "999 ns");
  CHECK(format_ns(1000) == "1.00 us");
  CHECK(format_ns(12345) == "12.3 us");
  CHECK(format_ns(999499) == "999 us");
  CHECK(format_ns(999600) == "1.00 ms");
  CHECK(format_ns(1.24e6) == "1.24 ms");
  CHECK(format_ns(123.4e6) == "123 ms");
  CHECK(format_ns(3.5e9) == "3.50 s");
  CHECK(format_ns(250e9) == "4 min 10 s");
  CHECK(format_ns(3599e9) == "59 min 59 s");
  CHECK(format_ns(3600e9) == "1.00 h");
  CHECK(format_ns(10'956'493e9) == "127 days");  // 182608 min 13 s
  CHECK(format_ns(2 * 86'400e9) == "2.00 days");
  CHECK(format_ns(36'500 * 86'400e9) == "99.9 years");
  CHECK(format_ns(200 * 365.25 * 86'400e9) == "200 years");
  CHECK(format_ns(-12345) == "-12.3 us");
  CHECK(format_ns(std::numeric_limits<double>::quiet_NaN()) == "-");
}

TEST_CASE("counts are grouped by three") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1000) == "1,000");
  CHECK(format_count(1234567) == "1,234,567");
  CHECK(format_count(1, "wait", "waits") == "1 wait");
  CHECK(format_count(1234, "wait", "waits") == "1,234 waits");
}

TEST_CASE("a share that is small is not called nothing") {
  CHECK(format_share(0) == "0.0 %");
  CHECK(format_share(0.0001) == "<0.1 %");
  CHECK(format_share(0.5) == "50.0 %");
  CHECK(format_share(std::numeric_limits<double>::infinity()) == "-");
}

TEST_CASE("an even choice has the first and the last, and all where they are few") {
  CHECK(even_choice(11, 3) == std::vector<std::size_t>{0, 5, 10});
  CHECK(even_choice(3, 6) == std::vector<std::size_t>{0, 1, 2});
  CHECK(even_choice(1, 6) == std::vector<std::size_t>{0});
  CHECK(even_choice(0, 6).empty());
}
