// SPDX-License-Identifier: Apache-2.0
#include "cli/options/lists.hpp"

#include "catch.hpp"

using foretask::cli::doubled_up_to;
using foretask::cli::parse_core_list;
using foretask::cli::parse_depth_list;
using foretask::cli::parse_factor_list;
using foretask::cli::parse_time_list;
using foretask::cli::parse_value_list;
using Cores = std::vector<std::uint32_t>;

namespace {

using Values = std::vector<std::string>;

std::string error_of(const char* text) {
  const auto values = parse_value_list(text);
  REQUIRE_FALSE(values.ok());
  return values.error().message();
}

}  // namespace

TEST_CASE("a core list is read part by part, in the order given") {
  CHECK(parse_core_list("4").value() == Cores{4});
  CHECK(parse_core_list("1,2,4").value() == Cores{1, 2, 4});
  CHECK(parse_core_list("1,2,4-16:4").value() == Cores{1, 2, 4, 8, 12, 16});
  CHECK(parse_core_list("3-5").value() == Cores{3, 4, 5});
  CHECK(parse_core_list("8,1").value() == Cores{8, 1});
  CHECK(parse_core_list("1000000").value() == Cores{1000000});
}

TEST_CASE("a range with a step stops at or before its end") {
  CHECK(parse_core_list("1-6:2").value() == Cores{1, 3, 5});
  CHECK(parse_core_list("7-7:5").value() == Cores{7});
}

TEST_CASE("a core count named twice is kept once") { CHECK(parse_core_list("2,1-3,2").value() == Cores{2, 1, 3}); }

TEST_CASE("what is no core list is an error") {
  const char* const bad = GENERATE("", ",", "1,", ",1", "0", "0-4", "-1", "-", "4-", "4-2", "1-8:0", "1-8:", "1:2", "x",
                                   "1x", "1.5", " 1", "1 ", "+1", "1--2", "1000001", "1-2000000:100000", "0x10",
                                   "99999999999999999999999", "1-8:99999999999999999999999", "1;2");
  INFO(bad);
  CHECK_FALSE(parse_core_list(bad).ok());
}

TEST_CASE("more than some thousands of core counts are refused") {
  CHECK(parse_core_list("1-4096").value().size() == 4096);
  CHECK_FALSE(parse_core_list("1-4097").ok());
  CHECK_FALSE(parse_core_list("1-1000000").ok());
  CHECK(parse_core_list("1-1000000:1000").value().size() == 1000);
}

TEST_CASE("values are a list as it stands") {
  CHECK(*parse_value_list("1024") == Values{"1024"});
  CHECK(*parse_value_list("3,1,2,1") == Values{"3", "1", "2"});
  CHECK(*parse_value_list("1e-5,-3,0.5,red,a-b,2-x,1-2:y") ==
        Values{"1e-5", "-3", "0.5", "red", "a-b", "2-x", "1-2:y"});
}

TEST_CASE("ranges have steps and factors") {
  CHECK(*parse_value_list("1-4") == Values{"1", "2", "3", "4"});
  CHECK(*parse_value_list("10-45:10") == Values{"10", "20", "30", "40"});
  CHECK(*parse_value_list("1024-16384:x2") == Values{"1024", "2048", "4096", "8192", "16384"});
  CHECK(*parse_value_list("3-100:x10") == Values{"3", "30"});
  CHECK(*parse_value_list("5-5:x2,6-6") == Values{"5", "6"});
  // The largest number there is ends a range without passing it.
  CHECK(*parse_value_list("9223372036854775808-18446744073709551615:x2") == Values{"9223372036854775808"});
  CHECK(*parse_value_list("18446744073709551614-18446744073709551615") ==
        Values{"18446744073709551614", "18446744073709551615"});
}

TEST_CASE("what is no list of values is said") {
  CHECK(error_of("") == "'': a value is empty");
  CHECK(error_of("1,,2") == "'1,,2': a value is empty");
  CHECK(error_of("8-1") == "'8-1': the range runs backwards");
  CHECK(error_of("1-8:0") == "'1-8:0': the step is 0");
  CHECK(error_of("1-8:x1") == "'1-8:x1': a factor must be 2 or more");
  CHECK(error_of("0-8:x2") == "'0-8:x2': a range with a factor cannot begin at 0");
  CHECK_THAT(error_of("1-5000"), Catch::Matchers::StartsWith("more than 4096 values"));
}

TEST_CASE("core counts have ranges with a factor too") {
  CHECK(parse_core_list("1-64:x4").value() == Cores{1, 4, 16, 64});
  CHECK(parse_core_list("1,01").value() == Cores{1});
}

TEST_CASE("factors are numbers of any size that a kernel may change by") {
  CHECK(parse_factor_list("2,100,0.5,2").value() == std::vector<double>{2, 100, 0.5});
  const char* const bad = GENERATE("", "2,", "x", "0", "-1", "nan", "inf", "1e10", "1e-10");
  INFO(bad);
  CHECK_FALSE(parse_factor_list(bad).ok());
}

TEST_CASE("times have units") {
  using Times = std::vector<std::int64_t>;
  CHECK(*parse_time_list("1us,10us,0.5ms,2s") == Times{1'000, 10'000, 500'000, 2'000'000'000});
  CHECK(*parse_time_list("250ns,1e3ns,5µs,1us") == Times{250, 1'000, 5'000});
  CHECK(*parse_time_list("1.4ns,1000000000s") == Times{1, 1'000'000'000'000'000'000});
  const char* const bad = GENERATE("", "10", "us", "1us,", "-1us", "0us", "0.4ns", "1e9999s", "infs", "nans", "1 us",
                                   "1m", "1000000001s", "1us-5us");
  INFO(bad);
  CHECK_FALSE(parse_time_list(bad).ok());
}

TEST_CASE("depths are whole numbers, and 0 among them") {
  CHECK(*parse_depth_list("1-4,9,0,09") == Cores{1, 2, 3, 4, 9, 0});
  const char* const bad = GENERATE("", "x", "-1", "1.5", "2000000000", "4-1");
  INFO(bad);
  CHECK_FALSE(parse_depth_list(bad).ok());
}

TEST_CASE("numbers are doubled up to the most, which is the last of them") {
  CHECK(doubled_up_to(1) == Cores{1});
  CHECK(doubled_up_to(6) == Cores{1, 2, 4, 6});
  CHECK(doubled_up_to(8) == Cores{1, 2, 4, 8});
}
