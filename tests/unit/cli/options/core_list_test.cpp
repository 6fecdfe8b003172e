// SPDX-License-Identifier: Apache-2.0
#include "cli/options/core_list.hpp"

#include <catch2/catch.hpp>

using foretask::cli::parse_core_list;
using Cores = std::vector<std::uint32_t>;

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
