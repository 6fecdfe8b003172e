// SPDX-License-Identifier: Apache-2.0
// Compositions of known families against what is known of them in closed form, and against counts.
#include "distribution/compose/evaluate.hpp"

#include <algorithm>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/compose.hpp"

using namespace foretask::analysis;

namespace {

Distribution exponential(double mean) { return *Distribution::exponential(mean); }

Composition composed(const foretask::Result<Distribution>& expression) {
  ComposeOptions options;
  options.resamplings = 0;
  return *compose(expression.value(), options);
}

template <typename Known>
double worst_quantile(const Composition& composition, const Known& known) {
  double worst = 0;
  for (std::size_t i = 0; i < kComposeQuantiles.size(); ++i)
    worst = std::max(worst, std::fabs(composition.quantiles[i] - quantile(known, kComposeQuantiles[i])));
  return worst / standard_deviation(known);
}

}  // namespace

TEST_CASE("a sum of exponential times is a gamma time, of two as of a thousand million", "[distribution]") {
  for (const std::uint64_t n : {2ULL, 3ULL, 10ULL, 1000ULL, 5000ULL, 1'000'000'000ULL}) {
    const auto count = static_cast<double>(n);
    const Composition sum = composed(Distribution::loop(n, exponential(1)));
    INFO("n " << n);
    CHECK(sum.mean == Approx(count).epsilon(1e-12));
    CHECK(sum.sd == Approx(std::sqrt(count)).epsilon(1e-12));
    CHECK(sum.skewness == Approx(2 / std::sqrt(count)).epsilon(1e-9));
    CHECK(sum.kurtosis == Approx(3 + 6 / count).epsilon(1e-9));
    CHECK(worst_quantile(sum, boost::math::gamma_distribution<>(count, 1)) < 1e-6);
    CHECK(sum.method == "numeric");
    CHECK(sum.status() == "ok");
  }
}

TEST_CASE("the sum of twelve uniform times has the moments and quantiles of Irwin and Hall", "[distribution]") {
  const Composition sum = composed(Distribution::loop(12, *Distribution::uniform(0, 1)));
  CHECK(sum.mean == Approx(6).epsilon(1e-12));
  CHECK(sum.sd == Approx(1).epsilon(1e-12));
  CHECK(sum.kurtosis == Approx(2.9).epsilon(1e-9));
  // P(sum <= x) = 1/12! sum over k of (-1)^k C(12, k) (x - k)^12.
  const double x = sum.quantiles[1];
  double f = 0;
  double choose = 1;
  for (int k = 0; k < x; ++k) {
    f += (k % 2 == 0 ? 1 : -1) * choose * std::pow(x - k, 12) / 479001600;
    choose *= (12.0 - k) / (k + 1);
  }
  CHECK(f == Approx(0.05).epsilon(1e-5));
}

TEST_CASE("the last and the first of different exponential times are as inclusion and exclusion says",
          "[distribution]") {
  const Composition last = composed(Distribution::all_of({exponential(1), exponential(0.5)}));
  CHECK(last.mean == Approx(1 + 0.5 - 1.0 / 3).epsilon(1e-9));
  CHECK(last.moments[1] == Approx(2 + 0.5 - 2.0 / 9).epsilon(1e-9));
  const Composition first = composed(Distribution::first_of({exponential(1), exponential(0.5), exponential(0.25)}));
  CHECK(first.mean == Approx(1.0 / 7).epsilon(1e-9));
  CHECK(worst_quantile(first, boost::math::exponential(7)) < 1e-6);
  // Two of one and three of another: 1 - F = exp(-(2 + 6) x).
  const Composition mixed = composed(Distribution::first_of(
      {*Distribution::first_of(2, exponential(1)), *Distribution::first_of(3, exponential(0.5))}));
  CHECK(worst_quantile(mixed, boost::math::exponential(8)) < 1e-6);
}

TEST_CASE("a constant beside a time bounds the last and the first of both", "[distribution]") {
  const Composition last = composed(Distribution::all_of({exponential(1), *Distribution::constant(1)}));
  CHECK(last.mean == Approx(1 + std::exp(-1.0)).epsilon(1e-9));
  CHECK(last.quantiles[4] == 1);
  const Composition first = composed(Distribution::first_of({exponential(1), *Distribution::constant(1)}));
  CHECK(first.mean == Approx(1 - std::exp(-1.0)).epsilon(1e-9));
  CHECK(first.quantiles[7] == 1);
  CHECK(first.quantiles[3] == Approx(-std::log(0.75)).epsilon(1e-6));
}

TEST_CASE("branches mix distribution functions, atoms and gaps included", "[distribution]") {
  const Composition two =
      composed(Distribution::branch({{0.3, *Distribution::normal(2, 0.1)}, {0.7, *Distribution::normal(10, 2)}}));
  CHECK(two.mean == Approx(7.6).epsilon(1e-12));
  CHECK(two.moments[1] == Approx(0.3 * 4.01 + 0.7 * 104).epsilon(1e-12));
  CHECK(two.quantiles[2] == Approx(1.956927).epsilon(1e-4));  // where 0.3 of the first's is 0.1: its lower third
  const Composition some =
      composed(Distribution::branch({{0.3, *Distribution::normal(2, 0.1)}, {0.7, *Distribution::constant(1)}}));
  CHECK(some.quantiles[0] == 1);
  CHECK(some.quantiles[4] == 1);
  CHECK(some.quantiles[5] == Approx(2 - 0.0967422).epsilon(1e-4));  // (0.75 - 0.7) / 0.3 of the normal
}

TEST_CASE("the first of a thousand million costs no accuracy", "[distribution]") {
  const Composition first = composed(Distribution::first_of(1'000'000'000, exponential(1)));
  CHECK(first.mean == Approx(1e-9).epsilon(1e-9));
  const Composition last = composed(Distribution::all_of(1'000'000'000, exponential(1)));
  CHECK(last.mean == Approx(std::log(1e9) + 0.5772156649015329).epsilon(1e-9));
  // Of a table: near 0 the sum of two has F ~ x^2 / 2, so that the first of N has the mean sqrt(pi / (2 N)).
  const Composition of_sums =
      composed(Distribution::first_of(1'000'000'000, *Distribution::sequence({exponential(1), exponential(1)})));
  CHECK(of_sums.mean == Approx(std::sqrt(M_PI / 2e9)).epsilon(1e-3));
}

TEST_CASE("a random number of exponential times has the compound moments", "[distribution]") {
  // 1, 2 or 3 times with probability 1/3 each.
  const Composition some = composed(Distribution::loop(*Distribution::uniform(0.5, 3.5), exponential(1)));
  CHECK(some.mean == Approx(2).epsilon(1e-9));
  CHECK(some.sd == Approx(std::sqrt(2 + 2.0 / 3)).epsilon(1e-9));
  const double x = some.quantiles[4];
  const double f = 1 - std::exp(-x) * (3 + 2 * x + x * x / 2) / 3;
  CHECK(f == Approx(0.5).epsilon(1e-5));
  const Composition many = composed(Distribution::loop(*Distribution::normal(1000, 100), exponential(1)));
  CHECK(many.mean == Approx(1000).epsilon(1e-4));
  CHECK(many.sd == Approx(std::sqrt(1000 + 10000 + 1.0 / 12)).epsilon(1e-3));
}

// 300 deep, by 200,000 draws of another program: mean 1.5165, standard error 0.0022.
TEST_CASE("deep compositions of times above 0 have moments", "[distribution]") {
  Distribution all = *Distribution::gamma(2, 1);
  for (int i = 1; i < 300; ++i) {
    const Distribution leaf = *Distribution::gamma(2, 1 + i * 1e-4);
    if (i % 3 == 0) {
      all = *Distribution::sequence({all, leaf});
    } else if (i % 3 == 1) {
      all = *Distribution::branch({{0.5, all}, {0.5, leaf}});
    } else {
      all = *Distribution::first_of({all, leaf});
    }
  }
  const Composition composition = composed(all);
  CHECK(composition.mean == Approx(1.5165).margin(0.009));
  CHECK(composition.sd == Approx(0.9887).margin(0.009));
}

TEST_CASE("nested compositions are what counting says", "[distribution]") {
  const Distribution expression = *Distribution::sequence(
      {*Distribution::all_of(3, *Distribution::branch({{0.25, exponential(2)}, {0.75, *Distribution::uniform(0, 1)}})),
       *Distribution::first_of({*Distribution::loop(3, exponential(1)), *Distribution::normal(4, 1)}),
       *Distribution::nth_of(2, 3, *Distribution::uniform(0, 3))});
  const Composition composition = composed(expression);
  std::mt19937_64 random(11);
  std::exponential_distribution<double> rate;
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  constexpr int kRuns = 100'000;
  std::vector<double> runs(kRuns);
  for (double& run : runs) {
    double last = 0;
    for (int i = 0; i < 3; ++i) last = std::max(last, uniform(random) < 0.25 ? 2 * rate(random) : uniform(random));
    const double loop = rate(random) + rate(random) + rate(random);
    double three[3] = {3 * uniform(random), 3 * uniform(random), 3 * uniform(random)};
    std::sort(three, three + 3);
    run = last + std::min(loop, 4 + normal(random)) + three[1];
  }
  std::sort(runs.begin(), runs.end());
  double mean = 0;
  for (const double run : runs) mean += run / kRuns;
  CHECK(std::fabs(composition.mean - mean) < 4 * composition.sd / std::sqrt(kRuns));
  for (std::size_t i = 0; i < kComposeQuantiles.size(); ++i) {
    const double p = kComposeQuantiles[i];
    const auto below = std::lower_bound(runs.begin(), runs.end(), composition.quantiles[i]) - runs.begin();
    CHECK(std::fabs(static_cast<double>(below) / kRuns - p) < 4 * std::sqrt(p * (1 - p) / kRuns));
  }
}

TEST_CASE("ten thousand parts one in the other are worked out", "[distribution]") {
  // All sums: the moments are known; the rest is that it ends, and agrees with the normal distribution that it must be
  // near.
  Distribution chain = exponential(1);
  double mean = 1;
  double variance = 1;
  for (int i = 1; i < 10'000; ++i) {
    const double its = 1 + 0.5 * std::sin(i);
    chain = *Distribution::sequence({*Distribution::branch({{1, chain}}), exponential(its)});
    mean += its;
    variance += its * its;
  }
  const Composition sum = composed(chain);
  CHECK(sum.mean == Approx(mean).epsilon(1e-9));
  CHECK(sum.sd == Approx(std::sqrt(variance)).epsilon(1e-9));
  CHECK(sum.quantiles[8] ==
        Approx(mean + std::sqrt(variance) * (2.326348 + sum.skewness * (2.326348 * 2.326348 - 1) / 6)).epsilon(1e-4));
}
