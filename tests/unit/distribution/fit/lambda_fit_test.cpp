// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/generalized_lambda.hpp"
#include "unit/distribution/golden_lines.hpp"

using namespace foretask::analysis;

namespace {

// Largest distance of two quantile functions.
double distance(const GeneralizedLambda& a, const GeneralizedLambda& b) {
  double most = 0;
  for (const double u : {1e-4, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999})
    most = std::max(most, std::abs(a.quantile(u) - b.quantile(u)));
  return most;
}

// By another way than the one that the fit takes. From values around 0: raw moments lose nothing then.
void check_has_moments(const LambdaFit& fit, const Moments& moments) {
  GeneralizedLambda centred = fit.lambda;
  centred.l1 -= moments.mean;
  const auto raw = centred.order_moments(1, 1);
  REQUIRE(raw.ok());
  const Moments own = Moments::of_raw(*raw);
  const double sd = std::sqrt(moments.variance);
  CHECK(std::abs(own.mean) <= 1e-9 * sd);
  CHECK(std::sqrt(own.variance) == Approx(sd).epsilon(1e-9));
  CHECK(std::abs(own.skewness - moments.skewness) <= 1e-9);
  CHECK(own.kurtosis == Approx(moments.kurtosis).epsilon(1e-9));
}

Moments of_lambda(const GeneralizedLambda& lambda) { return Moments::of_raw(*lambda.order_moments(1, 1)); }

bool among(const std::vector<LambdaFit>& fits, const GeneralizedLambda& lambda, const Moments& moments) {
  return std::any_of(fits.begin(), fits.end(), [&](const LambdaFit& fit) {
    return fit.lambda.form == lambda.form && distance(fit.lambda, lambda) < 1e-6 * std::sqrt(moments.variance);
  });
}

}  // namespace

TEST_CASE("every known solution is found, and every solution is a distribution with the moments", "[distribution]") {
  std::size_t cases = 0;
  std::size_t solutions = 0;
  Moments moments;
  std::vector<LambdaFit> fits;
  for (auto& line : golden_lines("lambda_fits.txt")) {
    std::string word;
    line >> word;
    if (word == "moments") {
      std::string name;
      std::string kind;
      double sd;
      REQUIRE(line >> name >> kind >> moments.mean >> sd >> moments.skewness >> moments.kurtosis);
      moments.variance = sd * sd;
      ++cases;
      fits.clear();
      for (const LambdaForm form : {LambdaForm::kRs, LambdaForm::kFkml}) {
        const auto of_form = lambda_fits(moments, form);
        REQUIRE(of_form.ok());
        fits.insert(fits.end(), of_form->begin(), of_form->end());
      }
      CAPTURE(name, kind);
      CHECK(fits.empty() == (name == "bimodalA"));
      for (const LambdaFit& fit : fits) {
        CHECK(fit.lambda.valid());
        CHECK(fit.residual <= 1e-9);
        check_has_moments(fit, moments);
      }
    } else {
      GeneralizedLambda lambda;
      lambda.form = word == "rs" ? LambdaForm::kRs : LambdaForm::kFkml;
      REQUIRE(line >> lambda.l1 >> lambda.l2 >> lambda.l3 >> lambda.l4);
      CAPTURE(word, lambda.l3, lambda.l4);
      CHECK(among(fits, lambda, moments));
      ++solutions;
    }
  }
  CHECK(cases == 10);
  CHECK(solutions == 46);
}

TEST_CASE("solutions of every region are found again from their moments", "[distribution]") {
  // Regions 3, 4, 5 and 6 of RS, and FKML with exponents of either sign.
  for (const GeneralizedLambda& lambda :
       {GeneralizedLambda{LambdaForm::kRs, 0, 1, 0.01, 3}, GeneralizedLambda{LambdaForm::kRs, 0, -1, -0.02, -0.2},
        GeneralizedLambda{LambdaForm::kRs, 0, -1, -0.24, 200}, GeneralizedLambda{LambdaForm::kRs, 0, -1, 200, -0.24},
        GeneralizedLambda{LambdaForm::kFkml, 0, 1, -0.2, 0.7}, GeneralizedLambda{LambdaForm::kFkml, 0, 1, 12, 1.5}}) {
    CAPTURE(lambda.l3, lambda.l4);
    REQUIRE(lambda.valid());
    const Moments moments = of_lambda(lambda);
    const auto fits = lambda_fits(moments, lambda.form);
    REQUIRE(fits.ok());
    CHECK(among(*fits, lambda, moments));
  }
}

TEST_CASE("the exponential is on the border of the RS form, and found there", "[distribution]") {
  const auto fits = lambda_fits({1, 1, 2, 9}, LambdaForm::kRs);
  REQUIRE(fits.ok());
  REQUIRE_FALSE(fits->empty());
  const LambdaFit& nearest = fits->front();
  CHECK(nearest.limit);
  CHECK(nearest.lambda.l3 == 0);
  for (const double u : {1e-6, 0.1, 0.5, 0.9, 0.999})
    CHECK(nearest.lambda.quantile(u) == Approx(-std::log1p(-u)).epsilon(1e-8));
  // Its reflection.
  const auto reflected = lambda_fits({-1, 1, -2, 9}, LambdaForm::kRs);
  REQUIRE(reflected.ok());
  CHECK(reflected->front().lambda.quantile(0.25) == Approx(std::log(0.25)).epsilon(1e-12));
}

TEST_CASE("of all solutions the one nearest to the samples is taken", "[distribution]") {
  std::vector<double> sorted;
  const GeneralizedLambda skewed{LambdaForm::kFkml, 0, 1, 3, 0.2};
  for (int i = 0; i < 500; ++i) sorted.push_back(skewed.quantile((i + 0.5) / 500));
  const auto best = best_lambda(of_lambda(skewed), sorted);
  REQUIRE(best.ok());
  CHECK(distance(best->lambda, skewed) < 1e-6);
  // Without samples the one with the least exponents; the others are at 1.7 and beyond.
  const auto normal = best_lambda({0, 1, 0, 3});
  REQUIRE(normal.ok());
  CHECK(normal->lambda.l3 == Approx(0.1349).margin(1e-4));
  CHECK(normal->lambda.l4 == Approx(0.1349).margin(1e-4));
}

TEST_CASE("moments without a lambda distribution are told from moments of nothing", "[distribution]") {
  CHECK(lambda_fits({1, 1, 2, 4}, LambdaForm::kRs).error().message() ==
        "no distribution has these moments: kurtosis 4.000000 is below skewness^2 + 1 = 5.000000");
  CHECK(lambda_fits({1, 0, 0, 3}, LambdaForm::kFkml).error().message() ==
        "no spread: a generalized lambda distribution needs a variance above 0");
  CHECK(lambda_fits({1, 1, std::nan(""), 3}, LambdaForm::kFkml).error().message() == "moments that are not finite");
  // Two modes far apart.
  CHECK(best_lambda({1.45, 0.4915, 0.905, 1.999}).error().message() ==
        "no generalized lambda distribution has these moments");
}
