// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/generalized_lambda.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "distribution/family/expectation.hpp"
#include "distribution/family/lambda_terms.hpp"
#include "distribution/family/order_map.hpp"
#include "distribution/family/univariate.hpp"
#include "statistics/root.hpp"

namespace foretask::distribution {
namespace {

using analysis::GeneralizedLambda;
using analysis::LambdaForm;

LogOdds logs_of(double u, double upper) noexcept {
  return {u < upper ? std::log(u) : std::log1p(-upper), u < upper ? std::log1p(-u) : std::log(upper)};
}

// What a term is at v = 0, where it is finite; times l2.
double end_term(LambdaForm form, double exponent) noexcept { return form == LambdaForm::kRs ? 1 : 1 / exponent; }

// RS with exponents of opposite sign: `negative` u^(negative - 1) + `positive` (1-u)^(positive - 1) stays below 0 where
// its maximum does (Karian and Dudewicz 2000, theorem 1.3.3).
bool stays_negative(double negative, double positive) noexcept {
  if (positive < 1) return false;
  const double above = positive - 1;
  const double left = 1 - negative;
  const double most =
      (above > 0 ? above * std::log(above / (above + left)) : 0) + left * std::log(left / (above + left));
  return most <= std::log(-negative / positive);
}

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

// Moments of order statistics of a generalized lambda distribution, by quadrature: the closed form (eq. 12) cancels.
// cumulants_of_order() (expectation.hpp) gives the same to 5e-13, but takes three times as long, and of a moment that
// only just exists, as the fourth does with exponents of -0.24999, it says that there is none: it has the integrand
// alone to go by. Here the exponents tell.
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

double lambda_quantile(const GeneralizedLambda& lambda, const LogOdds& at) noexcept {
  const auto [form, l1, l2, l3, l4] = lambda;
  const double left = lambda_term(form, at.u, l3);
  const double right = lambda_term(form, at.upper, l4);
  // Near an end of the support what counts is the distance from it, which the constant 1 of both terms would hide.
  constexpr double kNearEnd = -0.7;
  if (l3 * at.u < kNearEnd && l3 > 0) {
    const double end = end_term(form, l3);
    return (l1 - end / l2) + (end * std::exp(l3 * at.u) - right) / l2;
  }
  if (l4 * at.upper < kNearEnd && l4 > 0) {
    const double end = end_term(form, l4);
    return (l1 + end / l2) + (left - end * std::exp(l4 * at.upper)) / l2;
  }
  return l1 + (left - right) / l2;
}

}  // namespace foretask::distribution

namespace foretask::analysis {

using distribution::lambda_quantile;
using distribution::LogOdds;

bool GeneralizedLambda::valid() const noexcept {
  if (!std::isfinite(l1) || !std::isfinite(l2) || !std::isfinite(l3) || !std::isfinite(l4)) return false;
  if (form == LambdaForm::kFkml) return l2 > 0;
  if (l2 == 0 || (l3 == 0 && l4 == 0)) return false;
  if (l3 >= 0 && l4 >= 0) return l2 > 0;
  if (l2 > 0) return false;
  if (l3 <= 0 && l4 <= 0) return true;
  return l3 < 0 ? distribution::stays_negative(l3, l4) : distribution::stays_negative(l4, l3);
}

double GeneralizedLambda::quantile(double u, double upper) const noexcept {
  if (!(u > 0)) return lowest();
  if (!(upper > 0)) return highest();
  return lambda_quantile(*this, distribution::logs_of(u, upper));
}

double GeneralizedLambda::quantile_at_log_odds(double z) const noexcept {
  if (z == -distribution::kInfinity) return lowest();
  if (z == distribution::kInfinity) return highest();
  return lambda_quantile(*this, LogOdds::of(z));
}

double GeneralizedLambda::pdf_at(double u, double upper) const noexcept {
  const LogOdds at = distribution::logs_of(u, upper);
  double left = distribution::power(at.u, l3 - 1);
  double right = distribution::power(at.upper, l4 - 1);
  if (form == LambdaForm::kRs) {
    left = l3 == 0 ? 0 : l3 * left;
    right = l4 == 0 ? 0 : l4 * right;
  }
  return l2 / (left + right);
}

double GeneralizedLambda::lowest() const noexcept {
  if (l3 > 0) return l1 - distribution::end_term(form, l3) / l2;
  return l3 == 0 && form == LambdaForm::kRs ? l1 : -distribution::kInfinity;
}

double GeneralizedLambda::highest() const noexcept {
  if (l4 > 0) return l1 + distribution::end_term(form, l4) / l2;
  return l4 == 0 && form == LambdaForm::kRs ? l1 : distribution::kInfinity;
}

double GeneralizedLambda::log_odds(double x) const noexcept {
  if (std::isnan(x)) return x;
  if (x <= lowest()) return -distribution::kInfinity;
  if (x >= highest()) return distribution::kInfinity;
  double low = -1;
  double high = 1;
  constexpr double kFarthest = 1e6;
  while (low > -kFarthest && lambda_quantile(*this, LogOdds::of(low)) > x) high = low, low *= 2;
  while (high < kFarthest && lambda_quantile(*this, LogOdds::of(high)) < x) low = high, high *= 2;
  const auto off = [&](double z) { return lambda_quantile(*this, LogOdds::of(z)) - x; };
  return statistics::root_between(off, low, high).value_or(off(low) > 0 ? low : high);
}

double GeneralizedLambda::cdf(double x) const noexcept {
  const double z = log_odds(x);
  return z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z));
}

Result<std::array<double, 4>> GeneralizedLambda::order_moments(std::uint64_t rank, std::uint64_t n) const {
  if (rank == 0 || rank > n)
    return Error{"order statistic " + std::to_string(rank) + " of " + std::to_string(n) + ": no such rank"};
  if (!valid()) return Error{"these lambdas are no distribution: their quantile function does not increase"};
  return distribution::order_moments(*this, static_cast<double>(rank), static_cast<double>(n));
}

}  // namespace foretask::analysis
