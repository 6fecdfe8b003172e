// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/generalized_lambda.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "unit/distribution/golden_lines.hpp"

using namespace foretask::analysis;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

GeneralizedLambda rs(double l1, double l2, double l3, double l4) { return {LambdaForm::kRs, l1, l2, l3, l4}; }
GeneralizedLambda fkml(double l1, double l2, double l3, double l4) { return {LambdaForm::kFkml, l1, l2, l3, l4}; }

}  // namespace

TEST_CASE("quantiles and densities are those of 60 digits, and the distribution function inverts them",
          "[distribution]") {
  std::size_t points = 0;
  for (auto& line : golden_lines("lambda_quantiles.txt")) {
    GeneralizedLambda lambda;
    double u;
    double quantile;
    double pdf;
    REQUIRE(line >> lambda.l1 >> lambda.l2 >> lambda.l3 >> lambda.l4 >> u >> quantile >> pdf);
    // 1 - u of the decimal number, of which u has lost digits near 1.
    const double upper = u > 0.5 ? std::round((1 - u) * 1e6) / 1e6 : 1 - u;
    CAPTURE(lambda.l3, lambda.l4, u);
    CHECK(std::abs(lambda.quantile(u, upper) - quantile) <= 1e-13 * std::max(std::abs(quantile), 1e-3));
    CHECK(lambda.pdf_at(u, upper) == Approx(pdf).epsilon(1e-13));
    CHECK(std::abs(lambda.cdf(quantile) - u) <= 1e-14);
    ++points;
  }
  CHECK(points == 54);
}

TEST_CASE("a lambda distribution next to its limit is the exponential, in both tails", "[distribution]") {
  const GeneralizedLambda exponential = rs(0, 1e-9, 0, 1e-9);
  CHECK(exponential.quantile(1e-12) == Approx(1e-12).epsilon(1e-9));
  CHECK(exponential.quantile(0.5) == Approx(std::log(2)).epsilon(1e-9));
  CHECK(exponential.quantile(1, 1e-20) == Approx(20 * std::log(10)).epsilon(1e-7));
  CHECK(exponential.cdf(3) == Approx(1 - std::exp(-3)).epsilon(1e-8));
  CHECK(exponential.lowest() == 0);
}

TEST_CASE("exponents of 0 are logarithms in the form that has them", "[distribution]") {
  // Q = log(u / (1-u)), the logistic distribution.
  const GeneralizedLambda logistic = fkml(0, 1, 0, 0);
  CHECK(logistic.quantile(0.9) == Approx(std::log(9)).epsilon(1e-14));
  CHECK(logistic.pdf_at(0.25) == Approx(0.25 * 0.75).epsilon(1e-14));
  for (const double x : {-300.0, -2.0, 0.5, 40.0}) {
    CHECK(logistic.log_odds(x) == Approx(x).epsilon(1e-14));
    CHECK(logistic.quantile_at_log_odds(x) == Approx(x).epsilon(1e-14));
  }
  CHECK(logistic.lowest() == -kInfinity);
  CHECK(logistic.highest() == kInfinity);
}

TEST_CASE("the ends of the support are where quantiles and probabilities end", "[distribution]") {
  // 3 -+ 1/0.25, and the smallest values above the end are known to all digits: u^1 / 0.25.
  const GeneralizedLambda uniform = rs(4, 0.25, 1, 1);
  CHECK(uniform.lowest() == 0);
  CHECK(uniform.highest() == 8);
  CHECK(uniform.quantile(0) == 0);
  CHECK(uniform.quantile(1e-30) == Approx(8e-30).epsilon(1e-14));
  CHECK(uniform.quantile_at_log_odds(kInfinity) == 8);
  CHECK(uniform.cdf(-1) == 0);
  CHECK(uniform.cdf(9) == 1);
  CHECK(uniform.cdf(2) == Approx(0.25).epsilon(1e-14));
  CHECK(fkml(1, 2, 0.5, -0.1).lowest() == 0);
  CHECK(fkml(1, 2, 0.5, -0.1).highest() == kInfinity);
  CHECK(std::isnan(uniform.log_odds(std::nan(""))));
}

TEST_CASE("a distribution is one whose quantile function increases everywhere", "[distribution]") {
  CHECK(rs(0, 0.2, 0.1, 0.1).valid());
  CHECK_FALSE(rs(0, -0.2, 0.1, 0.1).valid());
  CHECK(rs(0, -0.2, -0.1, -0.1).valid());
  CHECK_FALSE(rs(0, 0.2, -0.1, -0.1).valid());
  CHECK_FALSE(rs(0, 1, 0, 0).valid());
  CHECK_FALSE(rs(0, 0, 1, 1).valid());
  // What a search from (0.1, 0.1) takes for the exponential's moments.
  CHECK_FALSE(rs(0, 1, -0.0887999616740268, 0.22526709899469372).valid());
  CHECK_FALSE(rs(0, -1, -0.0887999616740268, 0.22526709899469372).valid());
  // Opposite signs: (1-l3)^(1-l3) (l4-1)^(l4-1) / (l4-l3)^(l4-l3) against -l3/l4; for l3 = -0.2, l4 = 20 it is 0.0105
  // against 0.01, for l3 = -0.5, l4 = 1 exactly 1 against 0.5, for l3 = -2, l4 = 2 it is 0.105 against 1.
  CHECK_FALSE(rs(0, -1, -0.2, 20).valid());
  CHECK_FALSE(rs(0, -1, -0.5, 1).valid());
  CHECK(rs(0, -1, -2, 2).valid());
  CHECK(rs(0, -1, 2, -2).valid());
  CHECK(fkml(0, 1, -3, 5).valid());
  CHECK_FALSE(fkml(0, -1, 1, 1).valid());
  CHECK_FALSE(fkml(0, 1, std::nan(""), 1).valid());
}
