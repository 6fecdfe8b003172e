// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.hpp"

#include "catch.hpp"

using namespace foretask::report;

TEST_CASE("a time is extrapolated beyond the sizes or the cores of the runs") {
  PredictedTimes predicted;
  predicted.runs = {{.n = 64, .p = 1}, {.n = 256, .p = 8}, {.n = 128, .p = 2}};
  CHECK_FALSE(is_extrapolated(predicted, 64, 1));
  CHECK_FALSE(is_extrapolated(predicted, 100, 8));
  CHECK_FALSE(is_extrapolated(predicted, 256, 4));
  CHECK(is_extrapolated(predicted, 257, 1));
  CHECK(is_extrapolated(predicted, 63, 1));
  CHECK(is_extrapolated(predicted, 64, 9));
}
