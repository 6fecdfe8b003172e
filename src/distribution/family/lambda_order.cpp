// SPDX-License-Identifier: Apache-2.0
// Moments of order statistics of a generalized lambda distribution, by quadrature: the closed form (eq. 12) cancels.
// moments_of_order() (expectation.hpp) gives the same to 5e-13, but takes three times as long, and of a moment that
// only just exists, as the fourth does with exponents of -0.24999, it says that there is none: it has the integrand
// alone to go by. Here the exponents tell.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "distribution/family/lambda_terms.hpp"
#include "distribution/family/quadrature.hpp"
#include "distribution/family/univariate.hpp"
#include "foretask/analysis/generalized_lambda.hpp"

namespace foretask::distribution {
namespace {

using analysis::GeneralizedLambda;
using analysis::LambdaForm;

// The density of the rank-th of n over the log odds of u is u^rank (1-u)^(n-rank+1) / B. Around its mode, and without
// B: the sum of the weights takes its place, which no logarithm of a gamma function of 1e9 could do with all digits.
struct OrderWeight {
  double below;  // rank
  double above;  // n - rank + 1
  double mode;   // log odds
  double u;      // at the mode
  double upper;
  double width;

  OrderWeight(double rank, double n)
      : below(rank),
        above(n - rank + 1),
        mode(std::log(below / above)),
        u(below / (n + 1)),
        upper(above / (n + 1)),
        width(std::sqrt(1 / below + 1 / above)) {}

  // Logarithm of the density at mode + `off` over that at the mode: never above 0.
  [[nodiscard]] double log_at(double off) const noexcept {
    // Far out the products below are infinite, or lose 1 - u.
    const double left = off < -30 ? -off + std::log(upper + u * std::exp(off)) : std::log1p(upper * std::expm1(-off));
    const double right = off > 30 ? off + std::log(u + upper * std::exp(-off)) : std::log1p(u * std::expm1(off));
    return -below * left - above * right;
  }
};

// v^exponent - 1 times e^log_scale, for what alone would be infinite.
double scaled_term(LambdaForm form, double log_v, double exponent, double log_scale) noexcept {
  if (exponent == 0) return lambda_term(form, log_v, exponent) * std::exp(log_scale);
  const double grown = std::exp(exponent * log_v + log_scale) - std::exp(log_scale);
  return form == LambdaForm::kRs ? grown : grown / exponent;
}

double scaled_quantile(const GeneralizedLambda& lambda, const LogOdds& at, double log_scale) noexcept {
  constexpr double kFar = -500;
  if (at.u > kFar && at.upper > kFar) return lambda_quantile(lambda, at) * std::exp(log_scale);
  return lambda.l1 * std::exp(log_scale) + (scaled_term(lambda.form, at.u, lambda.l3, log_scale) -
                                            scaled_term(lambda.form, at.upper, lambda.l4, log_scale)) /
                                               lambda.l2;
}

// The moments that exist: E[Q^r] for r = 1 to `orders`.
std::size_t orders_of(const GeneralizedLambda& lambda, const OrderWeight& weight) {
  std::size_t orders = 0;
  for (double r = 1;
       r <= 4 && weight.below + r * std::min(lambda.l3, 0.0) > 0 && weight.above + r * std::min(lambda.l4, 0.0) > 0;
       ++r)
    ++orders;
  return orders;
}

std::array<double, 4> order_moments(const GeneralizedLambda& lambda, const OrderWeight& weight) {
  const std::size_t orders = orders_of(lambda, weight);
  // Away from the mode as sinh: an integrand that falls exponentially in the log odds falls doubly so in `t`.
  const Path path = [&](double t) { return PathPoint{weight.width * std::sinh(t), weight.width * std::cosh(t)}; };
  // The fourth root of the weight goes with each factor: neither overflows where their product does not.
  const Integrand powers = [&](double off, double* values) {
    const double log_weight = weight.log_at(off);
    const double root = std::exp(log_weight / 4);
    const double value = scaled_quantile(lambda, LogOdds::of(weight.mode + off), log_weight / 4);
    for (std::size_t r = 0; r <= orders; ++r) {
      values[r] = 1;
      for (std::size_t k = 0; k < 4; ++k) values[r] *= k < r ? value : root;
    }
    return values[0];
  };
  const Integral integral = integral_along(path, 0.25, powers, orders + 1, {0, weight.width, kInfinity});
  std::array<double, 4> moments;
  moments.fill(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t r = 1; r <= orders; ++r) moments[r - 1] = integral.sum[r] / integral.sum[0];
  return moments;
}

}  // namespace
}  // namespace foretask::distribution

namespace foretask::analysis {

Result<std::array<double, 4>> GeneralizedLambda::order_moments(std::uint64_t rank, std::uint64_t n) const {
  if (rank == 0 || rank > n)
    return Error{"order statistic " + std::to_string(rank) + " of " + std::to_string(n) + ": no such rank"};
  if (!valid()) return Error{"these lambdas are no distribution: their quantile function does not increase"};
  return distribution::order_moments(*this, {static_cast<double>(rank), static_cast<double>(n)});
}

}  // namespace foretask::analysis
