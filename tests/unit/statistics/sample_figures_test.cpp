// SPDX-License-Identifier: Apache-2.0
// Expected values: R's quantile(x, type = 7), var(x).
#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "statistics/running_variance.hpp"
#include "statistics/sorted_quantile.hpp"

using foretask::statistics::RunningVariance;
using foretask::statistics::sorted_quantile;

TEST_CASE("quantiles are R's of type 7") {
  const std::vector<double> values{1, 2, 4, 8, 16};
  CHECK(foretask::statistics::sorted_quantile(values, 0) == 1);
  CHECK(foretask::statistics::sorted_quantile(values, 0.1) == Approx(1.4));
  CHECK(foretask::statistics::sorted_quantile(values, 0.5) == 4);
  CHECK(foretask::statistics::sorted_quantile(values, 0.9) == Approx(12.8));
  CHECK(foretask::statistics::sorted_quantile(values, 1) == 16);
  CHECK(foretask::statistics::sorted_quantile(std::vector<double>{7}, 0.3) == 7);
}

TEST_CASE("a quantile among infinite values is no NaN") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{1, kInfinity, kInfinity};
  CHECK(foretask::statistics::sorted_quantile(values, 0) == 1);
  CHECK(foretask::statistics::sorted_quantile(values, 0.25) == kInfinity);
  CHECK(foretask::statistics::sorted_quantile(values, 0.75) == kInfinity);
}

TEST_CASE("the variance in one pass loses no digits to a large mean") {
  foretask::statistics::RunningVariance values;
  CHECK(values.variance() == 0);
  for (const double value : {4, 7, 13, 16}) values.add(1e9 + value);
  CHECK(values.mean() == 1e9 + 10);
  CHECK(values.squares() == 90);
  CHECK(values.variance() == 30);
}
