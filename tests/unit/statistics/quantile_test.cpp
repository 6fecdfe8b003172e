// SPDX-License-Identifier: Apache-2.0
// Expected values: R's quantile(x, type = 7), and what is counted by hand.
#include "statistics/quantile.hpp"

#include <limits>
#include <vector>

#include "catch.hpp"

using namespace foretask::statistics;

TEST_CASE("quantiles are R's of type 7") {
  const std::vector<double> values{1, 2, 4, 8, 16};
  const std::vector<double> mixed{16, 2, 8, 1, 4};
  for (const auto& [share, expected] :
       std::vector<std::pair<double, double>>{{0, 1}, {0.1, 1.4}, {0.5, 4}, {0.9, 12.8}, {1, 16}}) {
    CHECK(sorted_quantile(values, share) == Approx(expected));
    CHECK(quantile(mixed, share) == Approx(expected));
  }
  CHECK(sorted_quantile(std::vector<double>{7}, 0.3) == 7);
  CHECK(quantile({7}, 0.3) == 7);
  CHECK(quantile({}, 0.3) == 0);
}

TEST_CASE("a quantile among infinite values is no NaN") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{1, kInfinity, kInfinity};
  CHECK(sorted_quantile(values, 0) == 1);
  CHECK(sorted_quantile(values, 0.25) == kInfinity);
  CHECK(sorted_quantile(values, 0.75) == kInfinity);
  CHECK(quantile(values, 0) == 1);
  CHECK(quantile(values, 0.75) == kInfinity);
}

TEST_CASE("medians and the robust scale are those counted by hand") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
  CHECK(quantile({0, 10, 20, 30}, 0.9) == Approx(27));
  CHECK(robust_scale({-1, 1, -2, 2, 1000}) == Approx(2 * 1.4826022));
}
