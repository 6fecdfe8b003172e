// SPDX-License-Identifier: Apache-2.0
// Moments of order statistics of a generalized lambda distribution, by quadrature: the closed form (eq. 12) cancels.
// cumulants_of_order() (expectation.hpp) gives the same to 5e-13, but takes three times as long, and of a moment that
// only just exists, as the fourth does with exponents of -0.24999, it says that there is none: it has the integrand
// alone to go by. Here the exponents tell.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "distribution/family/incomplete_beta.hpp"
#include "distribution/family/lambda_terms.hpp"
#include "distribution/family/quadrature.hpp"
#include "distribution/family/univariate.hpp"
#include "foretask/analysis/generalized_lambda.hpp"

namespace foretask::distribution {
namespace {

using analysis::GeneralizedLambda;
using analysis::LambdaForm;

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

std::array<double, 4> order_moments(const GeneralizedLambda& lambda, double rank, double n) {
  const double below = rank;
  const double above = n - rank + 1;
  const IncompleteBeta weight(below, above);
  // Away from the mode as sinh: an integrand that falls exponentially in the log odds falls doubly so in `t`.
  const Path path = [&](double t) {
    return PathPoint{weight.center() + weight.width() * std::sinh(t), weight.width() * std::cosh(t)};
  };
  const auto exists = [&](double r) {
    return below + r * std::min(lambda.l3, 0.0) > 0 && above + r * std::min(lambda.l4, 0.0) > 0;
  };
  // The fourth root of the weight goes with each factor: neither overflows where their product does not.
  const Integrand powers = [&](double z, Powers& values) {
    const double log_root = weight.log_density(z) / 4;
    const double root = std::exp(log_root);
    const double value = scaled_quantile(lambda, LogOdds::of(z), log_root);
    for (std::size_t r = 0; r < 4 && exists(static_cast<double>(r + 1)); ++r) {
      values[r] = 1;
      for (std::size_t k = 0; k < 4; ++k) values[r] *= k <= r ? value : root;
    }
    return root * root * root * root;
  };
  const Integral integral = integral_along(path, 0.25, powers, {weight.center(), weight.width(), kInfinity});
  Powers moments{};
  for (std::size_t r = 0; r < 4; ++r)
    moments[r] = exists(static_cast<double>(r + 1)) ? integral.sum[r] / integral.mass  // which has the same rounding
                                                    : std::numeric_limits<double>::quiet_NaN();
  return moments;
}

}  // namespace
}  // namespace foretask::distribution

namespace foretask::analysis {

Result<std::array<double, 4>> GeneralizedLambda::order_moments(std::uint64_t rank, std::uint64_t n) const {
  if (rank == 0 || rank > n)
    return Error{"order statistic " + std::to_string(rank) + " of " + std::to_string(n) + ": no such rank"};
  if (!valid()) return Error{"these lambdas are no distribution: their quantile function does not increase"};
  return distribution::order_moments(*this, static_cast<double>(rank), static_cast<double>(n));
}

}  // namespace foretask::analysis
