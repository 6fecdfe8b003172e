// SPDX-License-Identifier: Apache-2.0
// Numbers of times that are a matter of chance, and other distributions with many separate modes or most of their mass
// on one value.
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/compose.hpp"

using namespace foretask::analysis;

namespace {

Composition composed(const foretask::Result<Distribution>& distribution) {
  REQUIRE(distribution.ok());
  const auto composition = compose(*distribution, {.resamplings = 0});
  REQUIRE(composition.ok());
  return *composition;
}

Distribution exponential(double mean) { return *Distribution::exponential(mean); }
Distribution normal(double mean, double sd) { return *Distribution::normal(mean, sd); }

// p01, p10, p50, p90, p99.
void check_quantiles(const Composition& composition, const std::vector<double>& expected, double within) {
  constexpr std::size_t kPlaces[] = {0, 2, 4, 6, 8};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("quantile " << kComposeQuantiles[kPlaces[i]]);
    CHECK(composition.quantiles[kPlaces[i]] == Approx(expected[i]).epsilon(within));
  }
}

}  // namespace

TEST_CASE("of many parts that hardly vary the number's own quantiles remain", "[distribution]") {
  const auto uniform = composed(Distribution::loop(*Distribution::uniform(100, 1000), normal(1, 0.02)));
  check_quantiles(uniform, {109, 190, 550, 910, 991}, 1e-3);
  // -500 log(1 - p).
  const auto number = composed(Distribution::loop(exponential(500), normal(1, 0.05)));
  check_quantiles(number, {5.0252, 52.680, 346.574, 1151.29, 2302.59}, 5e-2);
  CHECK(number.quantiles[6] == Approx(1151.29).epsilon(1e-4));
  // 10 (-log(1 - p))^(1 / 0.3): a tail that is far from any normal distribution's.
  const auto heavy = composed(Distribution::loop(*Distribution::weibull(0.3, 10), exponential(1)));
  CHECK(heavy.quantiles[8] == Approx(1624.87).epsilon(2e-3));
  const auto large = composed(Distribution::loop(normal(1e6, 1e5), exponential(1)));
  check_quantiles(large, {1e6 - 232'635, 1e6 - 128'155, 1e6, 1e6 + 128'155, 1e6 + 232'635}, 2e-4);
  const auto larger = composed(Distribution::loop(normal(1e19, 1e16), exponential(1)));
  CHECK(larger.quantiles[4] == Approx(1e19).epsilon(1e-6));
}

TEST_CASE("of parts that vary much the number matters little", "[distribution]") {
  // Variance of a sum whose parts have mean 0: E[N] of them.
  const auto sum = composed(Distribution::loop(normal(500, 50), normal(0, 1)));
  CHECK(sum.sd == Approx(std::sqrt(500.0)).epsilon(1e-9));
  CHECK(sum.quantiles[6] == Approx(1.28155 * std::sqrt(500.0)).epsilon(5e-3));
  const auto falling = composed(Distribution::loop(normal(500, 50), normal(-1, 0.001)));
  check_quantiles(falling, {-616.317, -564.078, -500, -435.922, -383.683}, 1e-4);
}

TEST_CASE("a number of constants is that many of them, rounded, none below 0", "[distribution]") {
  const auto steps = composed(Distribution::loop(normal(1e4, 1e3), *Distribution::constant(1)));
  check_quantiles(steps, {7674, 8718, 10'000, 11'282, 12'326}, 1e-12);
  // E[N^2] of a lognormal is exp(2 sigma^2); rounding adds little to its sd.
  const auto heavy = composed(Distribution::loop(*Distribution::lognormal(0, 3), *Distribution::constant(1)));
  CHECK(heavy.sd == Approx(std::sqrt(std::exp(18.0) - std::exp(9.0))).epsilon(1e-5));
  CHECK(heavy.quantiles[8] == 1074);  // exp(3 * 2.32635) = 1074.2
}

TEST_CASE("a number without a variance leaves the sum without one", "[distribution]") {
  GeneralizedLambda lambda{.form = LambdaForm::kRs, .l1 = 0, .l2 = -1, .l3 = -0.3, .l4 = -0.6};
  const auto sum = composed(Distribution::loop(*Distribution::of_lambda(lambda), exponential(1)));
  CHECK(std::isfinite(sum.mean));
  CHECK(std::isnan(sum.sd));
  CHECK(sum.quantiles[8] < 20);  // of the number: 14.8
}

TEST_CASE("numbers beyond all whole doubles end, and are answered", "[distribution]") {
  CHECK(composed(Distribution::loop(normal(1e17, 1), exponential(1))).mean == Approx(1e17));
  const GeneralizedLambda no_fourth{.form = LambdaForm::kFkml, .l1 = 0, .l2 = 1, .l3 = -0.3, .l4 = -0.3};
  const auto sum = composed(Distribution::loop(*Distribution::uniform(100, 1e12), *Distribution::of_lambda(no_fourth)));
  CHECK(std::isfinite(sum.quantiles[4]));
}

TEST_CASE("a branch of fifty narrow parts has its quantiles within them", "[distribution]") {
  std::vector<std::pair<double, Distribution>> cases;
  for (int i = 1; i <= 50; ++i) cases.emplace_back(0.02, normal(i, 0.01));
  const auto branch = composed(Distribution::branch(cases));
  CHECK(branch.mean == Approx(25.5));
  // 0.01, 0.25, 0.75 and 0.99 lie in the middle of a part, or at a quarter of it.
  CHECK(branch.quantiles[0] == Approx(1).margin(1e-3));
  CHECK(branch.quantiles[3] == Approx(13).margin(1e-3));
  CHECK(branch.quantiles[5] == Approx(38).margin(1e-3));
  CHECK(branch.quantiles[8] == Approx(50).margin(1e-3));
}

TEST_CASE("sums of parts that mostly take no time keep what they take", "[distribution]") {
  const Distribution rare = *Distribution::branch({{0.9, *Distribution::constant(0)}, {0.1, exponential(100)}});
  // By the binomial distribution of the number of parts that take time, each number's a gamma distribution.
  const auto two = composed(Distribution::sequence({rare, rare}));
  CHECK(two.quantiles[4] == 0);
  CHECK(two.quantiles[6] == Approx(67.6858).epsilon(1e-4));
  CHECK(two.quantiles[8] == Approx(309.537).epsilon(1e-4));
  const auto ten = composed(Distribution::loop(10, rare));
  CHECK(ten.quantiles[4] == Approx(43.5956).epsilon(2e-3));
  CHECK(ten.quantiles[6] == Approx(286.137).epsilon(2e-3));
  CHECK(ten.quantiles[8] == Approx(600.748).epsilon(2e-3));
}

TEST_CASE("numbers of numbers, however deep, are answered soon, and rounded once", "[distribution]") {
  Distribution deep = exponential(3);
  for (int i = 0; i < 2'000; ++i) deep = *Distribution::loop(deep, *Distribution::constant(1));
  const Composition composition = composed(deep);
  // round(x) of an exponential x: (1 + number) is geometric but for its first step.
  CHECK(composition.mean == Approx(std::exp(-0.5 / 3) / (1 - std::exp(-1.0 / 3))).epsilon(0.01));
  check_quantiles(composition, {0, 0, 2, 7, 14}, 1e-6);
}
