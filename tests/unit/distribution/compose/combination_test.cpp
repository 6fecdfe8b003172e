// SPDX-License-Identifier: Apache-2.0
// The last and the first of different times, against closed forms.
#include "distribution/compose/combination.hpp"

#include <cmath>

#include "catch.hpp"
#include "foretask/analysis/compose.hpp"

using namespace foretask::analysis;

namespace {

Composition composed(const foretask::Result<Distribution>& expression) {
  return *compose(expression.value(), {.resamplings = 0});
}
Composition last_of(const std::vector<Distribution>& parts) { return composed(Distribution::all_of(parts)); }
Composition first_of(const std::vector<Distribution>& parts) { return composed(Distribution::first_of(parts)); }

}  // namespace

TEST_CASE("the extremes of different distributions agree with their closed forms", "[distribution]") {
  const Distribution one = *Distribution::exponential(1);
  const Distribution two = *Distribution::exponential(2);
  const Composition first = first_of({one, two});
  CHECK(first.mean == Approx(1 / 1.5).epsilon(1e-11));
  CHECK(first.kurtosis == Approx(9).epsilon(1e-10));
  CHECK(last_of({one, two}).mean == Approx(3 - 1 / 1.5).epsilon(1e-11));
  // Clark 1961: E[max] of two normals about 0 is sqrt((s1^2 + s2^2) / (2 pi)). One is a step to the other.
  const Distribution wide = *Distribution::normal(0, 100);
  const Distribution narrow = *Distribution::normal(0, 0.001);
  CHECK(last_of({wide, narrow}).mean == Approx(std::sqrt((1e4 + 1e-6) / (2 * 3.14159265358979324))).epsilon(1e-11));
  // E[max(U, E)] = 3/2 - 1/e: the uniform's end is inside of the exponential's support.
  const Distribution uniform = *Distribution::uniform(0, 1);
  CHECK(last_of({uniform, one}).mean == Approx(1.5 - std::exp(-1.0)).epsilon(1e-11));
  CHECK(last_of({uniform, uniform, uniform}).mean == Approx(0.75).epsilon(1e-12));
}

TEST_CASE("equal atoms of several distributions count once in their extremes", "[distribution]") {
  // Two dice that show 1, 2, 3 or 4: P(max = k) = (2k - 1)/16. Another list of the same values is another sample.
  const Distribution die = *Distribution::of_samples({1, 2, 3, 4});
  const Distribution again = *Distribution::of_samples({1, 2, 3, 4, 1, 2, 3, 4});
  CHECK(last_of({die, again}).mean == Approx(50.0 / 16).epsilon(1e-14));
  CHECK(first_of({die, again}).mean == Approx(30.0 / 16).epsilon(1e-14));
  // E[max(U, 1/2)] = 5/8.
  const Distribution uniform = *Distribution::uniform(0, 1);
  const Distribution half = *Distribution::constant(0.5);
  CHECK(last_of({uniform, half}).mean == Approx(0.625).epsilon(1e-13));
  CHECK(first_of({half, uniform}).mean == Approx(0.375).epsilon(1e-13));
}

TEST_CASE("moments of an extreme that do not exist are NaN", "[distribution]") {
  // P(X > x) = (1 + 0.3 x)^(-1/0.3): three moments; of the first of two all four.
  const Distribution heavy =
      *Distribution::of_lambda({.form = LambdaForm::kRs, .l1 = 0, .l2 = -0.3, .l3 = 0, .l4 = -0.3});
  const Composition last = last_of({heavy, *Distribution::exponential(1)});
  CHECK(std::isfinite(last.skewness));
  CHECK(std::isnan(last.kurtosis));
  CHECK(std::isfinite(first_of({heavy, *Distribution::exponential(1)}).kurtosis));
}
