// SPDX-License-Identifier: Apache-2.0
#include "cli/options/value_list.hpp"

#include <catch2/catch.hpp>

using foretask::cli::parse_value_list;

namespace {

using Values = std::vector<std::string>;

std::string error_of(const char* text) {
  const auto values = parse_value_list(text);
  REQUIRE_FALSE(values.ok());
  return values.error().message();
}

}  // namespace

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
