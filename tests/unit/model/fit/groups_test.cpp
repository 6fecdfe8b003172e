// SPDX-License-Identifier: Apache-2.0
#include "model/fit/groups.hpp"

#include <cmath>
#include <random>

#include "catch.hpp"

using namespace foretask::model;

TEST_CASE("few different values are a group each, many are parted evenly") {
  const std::vector<double> few{3, 1, 3, 1, 2, 2, 3, 1, 2};
  const Groups each = groups_by_value(few);
  CHECK(each.count == 3);
  CHECK(each.of_row == std::vector<std::uint32_t>{2, 0, 2, 0, 1, 1, 2, 0, 1});
  std::vector<double> many(400);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>((i * 7) % 400);
  const Groups even = groups_by_value(many);
  CHECK(even.count == 16);
  std::vector<int> rows(even.count);
  for (const std::uint32_t group : even.of_row) ++rows[group];
  for (const int count : rows) CHECK(count == 25);
}

TEST_CASE("the share and its p are those of the analysis of variance") {
  // R: summary(aov(y ~ factor(g))) of y = 1 2 3 | 2 4 6 | 7 8 9: F(2, 6) = 14, p = 0.005466 by hand: between 56, within
  // 12; F = 28 / 2 = 14; P(F > 14) = (1 + 14 / 3)^-3.
  const std::vector<double> y{1, 2, 3, 2, 4, 6, 7, 8, 9};
  const Groups groups{{0, 0, 0, 1, 1, 1, 2, 2, 2}, 3};
  const double mean = 42.0 / 9;
  double squares = 0;
  for (const double value : y) squares += (value - mean) * (value - mean);
  REQUIRE(squares == Approx(68));
  const double within = 2 + 8 + 2;
  const double f = (squares - within) / 2 / (within / 6);
  CHECK(adjusted_share(y, groups) == Approx(1 - within / 6 / (squares / 8)));
  CHECK(share_p(y, groups) == Approx(std::pow(1 + f / 3, -3)));  // F with 2 and 6: exact
  CHECK(residuals_of(y, groups) == std::vector<double>{-1, 0, 1, -2, 0, 2, -1, 0, 1});
}

TEST_CASE("p is uniform where there is nothing to find") {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  int below_tenth = 0;
  int blocks_below_tenth = 0;
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> x(120);
    std::vector<double> y(120);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = normal(random);
      y[i] = normal(random);
    }
    const Groups groups = groups_by_value(x);
    if (share_p(y, groups) < 0.1) ++below_tenth;
    if (share_p_by_blocks(y, groups) <= 0.1) ++blocks_below_tenth;
  }
  // Binomial, 400 at 1/10: 40 with a standard deviation of 6.
  CHECK(below_tenth > 20);
  CHECK(below_tenth < 60);
  CHECK(blocks_below_tenth > 20);
  CHECK(blocks_below_tenth < 60);
}

TEST_CASE("one hump is not two modes, two are") {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::exponential_distribution<double> exponential;
  int found = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<double> x(500);
    for (double& value : x)
      value = round % 3 == 0 ? normal(random) : round % 3 == 1 ? uniform(random) : exponential(random);
    if (find_two_modes(x).found) ++found;
  }
  CHECK(found == 0);
  std::vector<double> two(300);
  for (std::size_t i = 0; i < two.size(); ++i) two[i] = normal(random) + (i % 3 == 0 ? 8 : 0);
  const TwoModes modes = find_two_modes(two);
  REQUIRE(modes.found);
  for (std::size_t i = 0; i < two.size(); ++i) CHECK(modes.groups.of_row[i] == (i % 3 == 0 ? 1U : 0U));
  CHECK_FALSE(find_two_modes(std::vector<double>(50, 3.0)).found);
  CHECK_FALSE(find_two_modes(std::vector<double>{}).found);
}
