// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/empirical.hpp"
#include "distribution/fit/tailed.hpp"

#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "distribution/family/expectation.hpp"
#include "distribution/family/known_family.hpp"
#include "distribution/family/log_odds.hpp"

using namespace foretask::distribution;

namespace {

// As a sample of `distribution` would be without chance.
std::vector<double> evenly(const Univariate& dist, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const auto rank = static_cast<double>(i);
    values.push_back(dist.quantile(z_of(rank + 0.5, static_cast<double>(count) - rank - 0.5)));
  }
  return values;
}

}  // namespace

TEST_CASE("samples are a step function that knows each value's share", "[distribution]") {
  const UnivariatePtr dist = empirical({{1, 2, 2, 5}, {}, 0});
  CHECK(dist->log_odds(2) == Approx(std::log(3.0)).epsilon(1e-15));
  CHECK(dist->log_odds_below(2) == Approx(-std::log(3.0)).epsilon(1e-15));
  CHECK(dist->log_odds(0.9) == -kInfinity);
  CHECK(dist->log_odds(5) == kInfinity);
  CHECK(dist->quantile(-kInfinity) == 1);
  CHECK(dist->quantile(0) == 2);
  CHECK(dist->quantile(kInfinity) == 5);
  CHECK(dist->pieces().size() == 3);
  // Weights, of which one is nothing.
  const UnivariatePtr weighted = empirical({{1, 2, 3}, {1, 0, 3}, false});
  CHECK(weighted->pieces().size() == 2);
  CHECK(cumulants_of(*weighted)[0] == Approx(2.5).epsilon(1e-15));
}

TEST_CASE("order statistics of samples are the weighted sum over their ranks", "[distribution]") {
  const std::vector<double> values = evenly(*make_family(Family::lognormal, 0, 1), 600);
  const UnivariatePtr dist = empirical({values, {}, 0});
  for (const std::uint64_t n : {2, 16, 256, 10000}) {
    long double last = 0;
    long double first = 0;
    for (std::size_t i = 0; i < 600; ++i) {
      const auto rank = static_cast<long double>(i);
      const auto power = static_cast<long double>(n);
      const long double share = std::pow((rank + 1) / 600, power) - std::pow(rank / 600, power);
      last += values[i] * share;
      first += values[599 - i] * share;
    }
    CAPTURE(n);
    CHECK(cumulants_of_order(*dist, OrderMap(n, n))[0] == Approx(static_cast<double>(last)).epsilon(1e-12));
    CHECK(cumulants_of_order(*dist, OrderMap(1, n))[0] == Approx(static_cast<double>(first)).epsilon(1e-12));
  }
  // The median of 3 dice with sides 1 to 4: 2.5 by symmetry; P(1) = 10/64 and P(2) = 22/64.
  const auto median = cumulants_of_order(*empirical({{1, 2, 3, 4}, {}, 0}), OrderMap(2, 3));
  CHECK(median[0] == Approx(2.5).epsilon(1e-13));
  CHECK(median[1] == Approx((2.25 * 20 + 0.25 * 44) / 64).epsilon(1e-13));
}

TEST_CASE("censored samples give the published product-limit estimate of the 6-MP remissions", "[distribution]") {
  // Freireich et al. 1963; the table is in Cox and Oakes 1984, and in most textbooks.
  const std::vector<double> weeks{6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35};
  const std::vector<std::uint8_t> ended{1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0};
  const SampleSet set = censored_samples(weeks, ended);
  CHECK(set.unended_share == Approx(0.448).margin(5e-4));
  // They count as many as those that ended, nine: what decides between mixtures.
  CHECK(std::accumulate(set.weights.begin(), set.weights.end(), 0.0) == Approx(9));
  const UnivariatePtr dist = empirical(set);
  const std::vector<std::pair<double, double>> survival{{6, 0.857},  {7, 0.807},  {10, 0.753}, {13, 0.690},
                                                        {16, 0.627}, {22, 0.538}, {23, 0.448}, {34, 0.448}};
  for (const auto& [week, alive] : survival) {
    CAPTURE(week);
    CHECK(upper(dist->log_odds(week)) == Approx(alive).margin(5e-4));
  }
  CHECK(dist->log_odds(35) == kInfinity);
  // Where the last one ended nothing is left over.
  CHECK(censored_samples({1, 2, 3}, {1, 0, 1}).unended_share == 0);
}

TEST_CASE("a fitted tail goes on where the samples end, and joins them without a step", "[distribution]") {
  const UnivariatePtr exponential = make_family(Family::exponential, 1);
  const SampleSet set = SampleSet{evenly(*exponential, 6000), {}, 0};
  const UnivariatePtr dist = with_tails(set, true, true).dist;
  // H_100000 and 1/100000: neither is in the samples, whose ends are 9.4 and 8.3e-5.
  CHECK(cumulants_of_order(*dist, OrderMap(100000, 100000))[0] == Approx(12.0901).epsilon(0.03));
  CHECK(cumulants_of_order(*dist, OrderMap(1, 100000))[0] == Approx(1e-5).epsilon(0.25));
  CHECK(cumulants_of(*dist)[0] == Approx(1).epsilon(0.002));
  const std::vector<Piece> pieces = dist->pieces();
  REQUIRE(pieces.size() > 3);
  CHECK_FALSE(pieces.front().atom);
  CHECK_FALSE(pieces.back().atom);
  const double join = pieces[pieces.size() - 2].end;
  CHECK(dist->quantile(join + 1e-9) == Approx(dist->quantile(join)).epsilon(1e-8));
  const double start = pieces.front().end;
  CHECK(dist->quantile(start - 1e-9) == Approx(dist->quantile(start + 1e-9)).epsilon(2e-3));
  for (const double z : {-400.0, -20.0, -5.0, 5.0, 20.0, 400.0}) {
    CAPTURE(z);
    CHECK(dist->log_odds(dist->quantile(z)) == Approx(z).epsilon(1e-9));
  }
}

TEST_CASE("a fitted lower tail of times never goes below 0", "[distribution]") {
  for (const Family family : {Family::exponential, Family::weibull, Family::lognormal}) {
    const UnivariatePtr truth = make_family(family, family == Family::lognormal ? 0 : 1.5, 0.5);
    const UnivariatePtr dist = with_tails(SampleSet{evenly(*truth, 2000), {}, 0}, true, false).dist;
    CHECK(dist->quantile(-600) >= 0);
    CHECK(dist->log_odds(-1e-9) == -kInfinity);
    CHECK(dist->quantile(-12) == Approx(truth->quantile(-12)).epsilon(0.3));
  }
}

TEST_CASE("too few or equal values get no tail", "[distribution]") {
  CHECK(with_tails(SampleSet{{1, 2, 3}, {}, 0}, true, true).dist->pieces().size() == 3);
  CHECK(with_tails(SampleSet{std::vector<double>(100, 4.0), {}, 0}, true, true).dist->pieces().size() == 1);
}
