// SPDX-License-Identifier: Apache-2.0
#include "model/fit/groups.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "catch.hpp"

using namespace foretask::model;

namespace {

using Ids = std::vector<std::size_t>;

double squares_within(const std::vector<double>& x, const std::vector<bool>& upper) {
  double sum[2] = {};
  double count[2] = {};
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum[upper[i]] += x[i];
    ++count[upper[i]];
  }
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += std::pow(x[i] - sum[upper[i]] / count[upper[i]], 2);
  return squares;
}

}  // namespace

TEST_CASE("two groups are found, and of equally near members the earliest stands for its group") {
  // 10, 12, 11, 13: mean 11.5, and 12 (row 1) and 11 (row 2) are both 0.5 away.
  // 100, 110, 105, 95: mean 102.5, and 100 (row 3) and 105 (row 5) are both 2.5 away.
  const auto clusters = split_in_two(std::vector<double>{10, 12, 11, 100, 110, 105, 13, 95});
  REQUIRE(clusters.size() == 2);
  CHECK(clusters[0].members == Ids{0, 1, 2, 6});
  CHECK(clusters[0].centroid == 11.5);
  CHECK(clusters[0].representative == 1);
  CHECK(clusters[1].members == Ids{3, 4, 5, 7});
  CHECK(clusters[1].centroid == 102.5);
  CHECK(clusters[1].representative == 3);
}

TEST_CASE("no split of few rows has a smaller sum of squares") {
  std::mt19937 random(7);
  std::lognormal_distribution<double> any(0, 2);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> x(2 + round % 8);
    for (double& value : x) value = any(random);
    const auto clusters = split_in_two(x);
    REQUIRE(clusters.size() == 2);
    std::vector<bool> found(x.size(), false);
    for (const std::size_t row : clusters[1].members) found[row] = true;
    double least = std::numeric_limits<double>::infinity();
    for (unsigned mask = 1; mask + 1 < (1U << x.size()); ++mask) {
      std::vector<bool> upper(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) upper[i] = (mask >> i & 1) != 0;
      least = std::min(least, squares_within(x, upper));
    }
    CHECK(squares_within(x, found) == Approx(least).epsilon(1e-9).margin(1e-12));
  }
}

TEST_CASE("equal rows stay together, and a parameter that does not vary is one cluster") {
  const auto clusters = split_in_two(std::vector<double>{2, 1, 1, 1, 2});
  REQUIRE(clusters.size() == 2);
  CHECK(clusters[0].members == Ids{1, 2, 3});
  CHECK(clusters[1].members == Ids{0, 4});
  CHECK(split_in_two(std::vector<double>{7, 7, 7}).size() == 1);
  CHECK(split_in_two({}).empty());
}

TEST_CASE("parameters at either end of a double's range are split as others are") {
  for (const double scale : {1e-250, 1e250}) {
    const auto clusters = split_in_two(std::vector<double>{1 * scale, 9 * scale, 2 * scale, 8 * scale, -3 * scale});
    REQUIRE(clusters.size() == 2);
    CHECK(clusters[1].members == Ids{1, 3});
  }
}
