// SPDX-License-Identifier: Apache-2.0
// Exponential growth is found with its base, and told from growth that is none.
#include "model/online/exponential_growth.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using foretask::model::exponential_growth;
using foretask::model::half_akaike;

namespace {

constexpr double kNoise = 0.01;

template <typename Time>
auto growth_of(int from, int to, Time time, double most = std::numeric_limits<double>::infinity()) {
  std::vector<double> x;
  std::vector<double> times;
  for (int i = from; i <= to; ++i) {
    x.push_back(i);
    times.push_back(time(static_cast<double>(i)));
  }
  return exponential_growth(x, times, kNoise, most);
}

}  // namespace

TEST_CASE("doubling is found as such") {
  const auto growth = growth_of(1, 10, [](double x) { return 3 * std::exp2(x); });
  REQUIRE(growth);
  CHECK_THAT(growth->likeliest.rate, WithinRel(std::log(2), 1e-3));
  CHECK_THAT(growth->likeliest.share, WithinRel(1.0, 1e-3));
  CHECK_THAT(growth->likeliest.log_factor(5), WithinRel(5 * std::log(2), 1e-3));
  CHECK(growth->slowest.rate < growth->likeliest.rate);
  CHECK(growth->likeliest.rate < growth->fastest.rate);
}

TEST_CASE("what does not grow is told from what does") {
  const auto growth = growth_of(1, 10, [](double x) { return 100 + 3 * std::exp2(x); });
  REQUIRE(growth);
  // By hand: 3072 of 3172 at the end, 100 + 6144 one further.
  CHECK_THAT(growth->likeliest.rate, WithinRel(std::log(2), 1e-3));
  CHECK_THAT(growth->likeliest.share, WithinRel(3072.0 / 3172, 1e-3));
  CHECK_THAT(growth->likeliest.log_factor(1), WithinRel(std::log(6244.0 / 3172), 1e-3));
}

TEST_CASE("a power law does not fit") {
  const auto growth = growth_of(1, 40, [](double x) { return x * x * x; });
  REQUIRE(growth);
  CHECK(growth->error_squares / 40 > 0.1);
}

TEST_CASE("what is too unlikely is not said") {
  const auto doubling = [](double x) { return std::exp2(x); };
  const double against = growth_of(1, 10, doubling).value().half_akaike;
  // 10 rows without errors: 5 ln(0.0001) + 3 + 3 * 4 / 6.
  CHECK_THAT(against, WithinAbs(5 * std::log(1e-4) + 5, 0.01));
  CHECK(growth_of(1, 10, doubling, against + 0.1));
  CHECK_FALSE(growth_of(1, 10, doubling, against - 0.1));
}

TEST_CASE("nothing is said of few values, nor of times that do not grow") {
  constexpr double kAll = std::numeric_limits<double>::infinity();
  CHECK_FALSE(
      exponential_growth(std::vector<double>{1, 2, 3, 1, 2, 3}, std::vector<double>{2, 4, 8, 2, 4, 8}, kNoise, kAll));
  CHECK(exponential_growth(std::vector<double>{1, 2, 3, 4, 4}, std::vector<double>{2, 4, 8, 16, 16}, kNoise, kAll));
  CHECK_FALSE(growth_of(1, 10, [](double x) { return std::exp2(-x); }));
}

TEST_CASE("a number beyond all bounds is none") {
  const auto growth = growth_of(1, 10, [](double x) { return std::exp2(x); });
  REQUIRE(growth);
  CHECK_THAT(growth->likeliest.log_factor(1e6), WithinRel(1e6 * std::log(2), 1e-3));
}

TEST_CASE("Akaike's criterion, by hand") {
  // 5 ln(0.0009 + 0.0016) + 2 + 2 * 3 / 7
  CHECK_THAT(half_akaike(0.009, 10, 2, 0.04), WithinAbs(-27.10018, 1e-5));
  CHECK(std::isinf(half_akaike(0.009, 3, 2, 0.04)));
}
