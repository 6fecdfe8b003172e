// SPDX-License-Identifier: Apache-2.0
#include "statistics/running_variance.hpp"

#include <catch2/catch.hpp>
#include <cmath>

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

TEST_CASE("two parts together are what all their numbers are") {
  RunningVariance lower;
  RunningVariance upper;
  lower.add(1e9 + 4);
  for (const double value : {7, 13, 16}) upper.add(1e9 + value);
  lower.merge(upper);
  CHECK(lower.count() == 4);
  CHECK(lower.mean() == 1e9 + 10);
  CHECK(lower.variance() == Approx(30).epsilon(1e-12));
  RunningVariance none;
  lower.merge(none);
  CHECK(lower.count() == 4);
  none.merge(lower);
  CHECK(none.mean() == lower.mean());
  CHECK(none.squares() == lower.squares());
}
