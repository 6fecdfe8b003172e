// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include "catch.hpp"
#include "foretask/analysis/generalized_lambda.hpp"
#include "unit/distribution/golden_lines.hpp"

using namespace foretask::analysis;

namespace {

double value_of(std::istringstream& line) {
  std::string text;
  line >> text;
  return std::stod(text);
}

}  // namespace

TEST_CASE("order moments are those of 60 digits", "[distribution]") {
  std::size_t vectors = 0;
  for (auto& line : golden_lines("lambda_order_moments.txt")) {
    GeneralizedLambda lambda;
    std::uint64_t n;
    std::uint64_t rank;
    REQUIRE(line >> lambda.l1 >> lambda.l2 >> lambda.l3 >> lambda.l4 >> n >> rank);
    const auto moments = lambda.order_moments(rank, n);
    REQUIRE(moments.ok());
    CAPTURE(lambda.l3, lambda.l4, rank, n);
    for (std::size_t r = 0; r < 4; ++r) {
      const double expected = value_of(line);
      CHECK(std::abs((*moments)[r] - expected) <= 1e-12 * (expected == 0 ? 1 : std::abs(expected)));
    }
    ++vectors;
  }
  CHECK(vectors == 81);
}

TEST_CASE("moments of least and largest of up to 10,000 are those of another quadrature", "[distribution]") {
  std::size_t vectors = 0;
  for (auto& line : golden_lines("lambda_extremes.txt")) {
    std::string form;
    std::string end;
    GeneralizedLambda lambda;
    std::uint64_t n;
    REQUIRE(line >> form >> lambda.l1 >> lambda.l2 >> lambda.l3 >> lambda.l4 >> end >> n);
    const auto moments = lambda.order_moments(end == "min" ? 1 : n, n);
    REQUIRE(moments.ok());
    CAPTURE(lambda.l3, lambda.l4, end, n);
    for (std::size_t r = 0; r < 4; ++r) CHECK((*moments)[r] == Approx(value_of(line)).epsilon(1e-9));
    ++vectors;
  }
  CHECK(vectors == 112);
}

TEST_CASE("order moments of a billion uniform values are products of a few factors", "[distribution]") {
  const GeneralizedLambda uniform{LambdaForm::kRs, 0.5, 2, 1, 1};
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1000000000}}) {
    for (const std::uint64_t rank : {std::uint64_t{1}, (n + 1) / 2, n}) {
      const auto moments = uniform.order_moments(rank, n);
      REQUIRE(moments.ok());
      double expected = 1;  // rank (rank+1) ... / ((n+1) (n+2) ...)
      for (std::size_t r = 0; r < 4; ++r) {
        expected *= static_cast<double>(rank + r) / static_cast<double>(n + 1 + r);
        CHECK((*moments)[r] == Approx(expected).epsilon(1e-13));
      }
    }
  }
}

TEST_CASE("a moment that an order statistic does not have is not a number", "[distribution]") {
  // Q = 1 / (1-u) - 1: P(X > x) = 1 / (1+x). The least of 2 has a mean of 1 and no second moment.
  const GeneralizedLambda pareto{LambdaForm::kRs, 0, -1, 0, -1};
  CHECK(std::isnan((*pareto.order_moments(1, 1))[0]));
  const auto least = *pareto.order_moments(1, 2);
  CHECK(least[0] == Approx(1).epsilon(1e-12));
  CHECK(std::isnan(least[1]));
  // With exponents of -0.24999 the fourth one only just exists: 4! / ((1+k) (1+2k) (1+3k) (1+4k)).
  const double k = -0.24999;
  const GeneralizedLambda heavy{LambdaForm::kRs, 0, k, 0, k};
  CHECK((*heavy.order_moments(1, 1))[3] ==
        Approx(24 / ((1 + k) * (1 + 2 * k) * (1 + 3 * k) * (1 + 4 * k))).epsilon(1e-10));
}

TEST_CASE("an order statistic that there is not is an error", "[distribution]") {
  const GeneralizedLambda uniform{LambdaForm::kRs, 0.5, 2, 1, 1};
  CHECK(uniform.order_moments(0, 3).error().message() == "order statistic 0 of 3: no such rank");
  CHECK_FALSE(uniform.order_moments(4, 3).ok());
  CHECK_FALSE(GeneralizedLambda{LambdaForm::kRs, 0, -1, 1, 1}.order_moments(1, 3).ok());
}
