// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/gaussian_mixture.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace foretask::analysis;

namespace {

const GaussianMixture kStandard{{{1, 0, 1}}};
const GaussianMixture kTwoModes{{{0.7, 1, 0.1}, {0.3, 2.5, 0.2}}};

}  // namespace

TEST_CASE("a mixture of one part is the normal distribution, in its tails as well", "[distribution]") {
  // Abramowitz and Stegun, tables 26.1 and 26.2.
  CHECK(kStandard.cdf(1) == Approx(0.841344746068543).epsilon(1e-14));
  CHECK(kStandard.upper(10) == Approx(7.61985302416053e-24).epsilon(1e-13));
  CHECK(kStandard.cdf(-10) == Approx(7.61985302416053e-24).epsilon(1e-13));
  CHECK(kStandard.pdf(0) == Approx(0.398942280401433).epsilon(1e-14));
  CHECK(kStandard.quantile(0.975) == Approx(1.95996398454005).epsilon(1e-13));
  CHECK(kStandard.quantile(7.61985302416053e-24) == Approx(-10).epsilon(1e-13));
  CHECK(kStandard.quantile(1, 7.61985302416053e-24) == Approx(10).epsilon(1e-13));
}

TEST_CASE("quantiles of a mixture invert its distribution function in and between its modes", "[distribution]") {
  for (const double p : {1e-200, 1e-12, 0.01, 0.3, 0.5, 0.69999, 0.7, 0.70001, 0.95}) {
    CAPTURE(p);
    CHECK(kTwoModes.cdf(kTwoModes.quantile(p)) == Approx(p).epsilon(1e-12));
    CHECK(kTwoModes.upper(kTwoModes.quantile(1 - p, p)) == Approx(p).epsilon(1e-12));
  }
  CHECK(kTwoModes.quantile(0) == -std::numeric_limits<double>::infinity());
  CHECK(kTwoModes.quantile(1) == std::numeric_limits<double>::infinity());
}

TEST_CASE("moments of a mixture are the sums over its parts", "[distribution]") {
  // Mean 0.7 + 0.75, variance 0.7 (0.01 + 0.2025) + 0.3 (0.04 + 1.1025).
  const Moments moments = kTwoModes.moments();
  CHECK(moments.mean == Approx(1.45).epsilon(1e-14));
  CHECK(moments.variance == Approx(0.4915).epsilon(1e-14));
  CHECK(moments.skewness == Approx(0.905024768).epsilon(1e-8));
  CHECK(moments.kurtosis == Approx(1.998951659).epsilon(1e-8));
  CHECK(kStandard.moments().kurtosis == Approx(3).epsilon(1e-14));
}

TEST_CASE("modes are counted, and two parts near each other have one", "[distribution]") {
  CHECK(kStandard.modes() == 1);
  CHECK(kTwoModes.modes() == 2);
  // Equal parts have two modes from a distance of two standard deviations on.
  CHECK(GaussianMixture{{{0.5, -0.99, 1}, {0.5, 0.99, 1}}}.modes() == 1);
  CHECK(GaussianMixture{{{0.5, -1.05, 1}, {0.5, 1.05, 1}}}.modes() == 2);
  CHECK(GaussianMixture{{{0.5, 0, 1}, {0.5, 0, 0.01}}}.modes() == 1);
  CHECK(GaussianMixture{{{0.3, 0, 1}, {0.3, 1e6, 1e-3}, {0.4, 2e6, 5}}}.modes() == 3);
}
