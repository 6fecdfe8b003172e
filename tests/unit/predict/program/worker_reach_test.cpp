// SPDX-License-Identifier: Apache-2.0
#include "predict/program/core_shape.hpp"

#include "catch.hpp"

using foretask::predict::worker_reach;

TEST_CASE("what was fitted is believed as far again as the recorded workers are above one") {
  CHECK(worker_reach({1, 2, 4}) == 16);
  CHECK(worker_reach({8, 1, 2, 4, 8, 1}) == 64);
  CHECK(worker_reach({2, 3}) == 9);
}

TEST_CASE("a single number of workers above one shows no growth") {
  CHECK(worker_reach({1, 2, 2, 1}) == 2);
  CHECK(worker_reach({1, 16}) == 16);
  CHECK(worker_reach({1, 1}) == 1);
  CHECK(worker_reach({4}) == 4);
  CHECK(worker_reach({}) == 1);
}
