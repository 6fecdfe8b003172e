// SPDX-License-Identifier: Apache-2.0
// Which number is the size of a run's input.
#include "model/store/program_row.hpp"

#include <limits>

#include "catch.hpp"

using foretask::model::is_size;
using foretask::model::program_input;

TEST_CASE("n is the size, or the only number, or what a table calls it") {
  CHECK(program_input({}, "").n == 0);
  CHECK(program_input({}, "").others.empty());
  CHECK(program_input({{"m", 7}}, "").n == 7);
  CHECK(program_input({{"m", 7}}, "").others.empty());
  CHECK(program_input({{"n", 8}, {"b", 16}, {"c", 0.5}}, "").n == 8);
  CHECK(program_input({{"n", 8}, {"b", 16}, {"c", 0.5}}, "b").others == "b=16 c=0.5");
  CHECK(program_input({{"m", 8}, {"b", 16}}, "").n == 0);
  CHECK(program_input({{"m", 8}, {"b", 16}}, "").others == "b=16 m=8");
  CHECK(program_input({{"m", 8}, {"b", 16}}, "m").n == 8);
  CHECK(program_input({{"m", 8}, {"b", 16}}, "m").others == "b=16");
}

TEST_CASE("what is not above 0, or not finite, is no size") {
  CHECK(is_size(1e-9));
  CHECK_FALSE(is_size(0));
  CHECK_FALSE(is_size(-5));
  CHECK_FALSE(is_size(std::numeric_limits<double>::infinity()));
  CHECK_FALSE(is_size(std::numeric_limits<double>::quiet_NaN()));
  CHECK(program_input({{"seed", -1}}, "").n == 0);
  CHECK(program_input({{"seed", -1}}, "").others == "seed=-1");
}
