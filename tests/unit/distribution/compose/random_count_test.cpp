// SPDX-License-Identifier: Apache-2.0
// Loops of a number of times that is a matter of chance.
#include "distribution/compose/random_count.hpp"

#include <cmath>

#include "catch.hpp"
#include "distribution/family/known_family.hpp"
#include "foretask/analysis/compose.hpp"

using namespace foretask::analysis;
using foretask::distribution::count_cumulants;
using foretask::distribution::Cumulants;
using foretask::distribution::Family;
using foretask::distribution::make_family;

namespace {

Composition looped(const Distribution& times, const Distribution& body) {
  return *compose(*Distribution::loop(times, body), {.resamplings = 0});
}

}  // namespace

TEST_CASE("a rounded heavy-tailed number has the moments of the sum over all whole numbers", "[distribution]") {
  // Sums of (k^r - (k - 1)^r) P(X > k - 1/2) up to two million, an integral beyond.
  const Composition loop = looped(*Distribution::lognormal(0, 3), *Distribution::constant(1));
  CHECK(loop.mean == Approx(89.98168748174994).epsilon(1e-8));
  CHECK(loop.sd == Approx(8102.58430689524).epsilon(1e-7));
  CHECK(loop.moments[2] == Approx(3.8808469624313504e17).epsilon(1e-9));
  CHECK(loop.moments[3] == Approx(1.8586717452841464e31).epsilon(1e-9));
  // exp(3 * 1.6448536) = 139.04, exp(3 * 2.3263479) = 1073.9.
  CHECK(loop.quantiles[7] == 139);
  CHECK(loop.quantiles[8] == 1074);
}

TEST_CASE("a rounded exponential number is geometric above 0", "[distribution]") {
  for (const double mean : {0.5, 5.0, 3000.0}) {
    CAPTURE(mean);
    // P(N >= k) = first * ratio^(k - 1).
    const double ratio = std::exp(-1 / mean);
    const double first = std::exp(-0.5 / mean);
    const Cumulants count = count_cumulants(*make_family(Family::exponential, mean, 0));
    const double expected = first / (1 - ratio);
    CHECK(count[0] == Approx(expected).epsilon(1e-10));
    CHECK(count[1] == Approx(first * (1 + ratio) / ((1 - ratio) * (1 - ratio)) - expected * expected).epsilon(1e-9));
  }
}

TEST_CASE("rounding a wide number adds a twelfth to its variance, and clipping is counted", "[distribution]") {
  const Cumulants wide = count_cumulants(*make_family(Family::normal, 1e6, 1e5));
  CHECK(wide[0] == Approx(1e6).epsilon(1e-12));
  CHECK(wide[1] == Approx(1e10 + 1.0 / 12).epsilon(1e-11));
  // Half of a normal one is clipped: mean sd / sqrt(2 pi), second moment sd^2 / 2 and half of the twelfth.
  const Cumulants half = count_cumulants(*make_family(Family::normal, 0, 100));
  const double mean = 100 / std::sqrt(2 * 3.14159265358979323846);
  CHECK(half[0] == Approx(mean).epsilon(1e-4));
  CHECK(half[1] + half[0] * half[0] == Approx(5000 + 1.0 / 24).epsilon(1e-4));
}

TEST_CASE("a number without a variance gives a loop without one", "[distribution]") {
  // An upper tail of power 0.6: a mean, and no second moment.
  const foretask::distribution::UnivariatePtr times =
      foretask::distribution::lambda_distribution({.form = LambdaForm::kRs, .l1 = 0, .l2 = -1, .l3 = -0.3, .l4 = -0.6});
  const Cumulants count = count_cumulants(*times);
  CHECK(std::isfinite(count[0]));
  CHECK(std::isnan(count[1]));
  CHECK(std::isnan(count[3]));
  const Composition loop =
      looped(*Distribution::of_lambda({.form = LambdaForm::kRs, .l1 = 0, .l2 = -1, .l3 = -0.3, .l4 = -0.6}),
             *Distribution::constant(1));
  CHECK(loop.mean == Approx(count[0]).epsilon(1e-12));
  CHECK(std::isnan(loop.sd));
  CHECK(std::isnan(loop.moments[3]));
  CHECK(std::isfinite(loop.quantiles[8]));
}

TEST_CASE("a constant body's times are whole multiples of it, negative ones too", "[distribution]") {
  const Composition loop = looped(*Distribution::uniform(-0.4, 3.4), *Distribution::constant(-2));
  // 3 of 3.4 to 2.5, 2 and 1 to 0.5, 0 below: 9, 10, 10, 9 of 38.
  CHECK(loop.mean == Approx(-2 * 57 / 38.0).epsilon(1e-12));
  CHECK(loop.quantiles[0] == -6);
  CHECK(loop.quantiles[3] == -4);
  CHECK(loop.quantiles[5] == -2);
  CHECK(loop.quantiles[8] == 0);
  CHECK_FALSE(std::signbit(loop.quantiles[8]));
}
