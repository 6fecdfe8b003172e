// SPDX-License-Identifier: Apache-2.0
#include "statistics/running_variance.hpp"

#include <cmath>

#include "catch.hpp"

using foretask::statistics::RunningVariance;

// The example of the literature on one-pass algorithms: its variance is 30.
TEST_CASE("the variance in one pass loses no digits to a large mean") {
  RunningVariance values;
  CHECK(values.variance() == 0);
  CHECK(values.relative_sd() == 0);
  for (const double value : {4, 7, 13, 16}) values.add(1e9 + value);
  CHECK(values.count() == 4);
  CHECK(values.mean() == 1e9 + 10);
  CHECK(values.squares() == 90);
  CHECK(values.variance() == 30);
  CHECK(values.relative_sd() == Approx(std::sqrt(30.0) / (1e9 + 10)));
}
