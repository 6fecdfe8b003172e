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

// Sums of weight Q^r for r = 0..4, and of their magnitudes.
struct PowerSums {
  std::array<double, 5> sum{};
  std::array<double, 5> magnitude{};
};

class OrderQuadrature {
 public:
  OrderQuadrature(const GeneralizedLambda& lambda, double rank, double n) : lambda_(lambda), weight_(rank, n) {
    while (orders_ < 4 && weight_.below + (orders_ + 1) * std::min(lambda.l3, 0.0) > 0 &&
           weight_.above + (orders_ + 1) * std::min(lambda.l4, 0.0) > 0)
      ++orders_;
  }

  [[nodiscard]] std::array<double, 4> moments() {
    constexpr double kFirstStep = 0.25;
    constexpr int kMostHalvings = 7;
    PowerSums sums;
    add(sums, 0);
    sweep(sums, kFirstStep, kFirstStep);
    sweep(sums, -kFirstStep, -kFirstStep);
    std::array<double, 5> last = sums.sum;
    double step = kFirstStep;
    for (int halving = 0; halving < kMostHalvings; ++halving) {
      sweep(sums, step / 2, step);
      sweep(sums, -step / 2, -step);
      step /= 2;
      double change = 0;
      for (std::size_t r = 0; r <= orders_; ++r) {
        if (sums.magnitude[r] > 0) change = std::max(change, std::abs(sums.sum[r] - 2 * last[r]) / sums.magnitude[r]);
      }
      last = sums.sum;
      // The error goes down as the square at each halving.
      if (change < 1e-10) break;
    }
    std::array<double, 4> result;
    result.fill(std::numeric_limits<double>::quiet_NaN());
    for (std::size_t r = 1; r <= orders_; ++r) result[r - 1] = sums.sum[r] / sums.sum[0];
    return result;
  }

 private:
  // Away from the mode as sinh: an integrand that falls exponentially in the log odds falls doubly so in `t`.
  // Returns the largest share of what was added in the sums.
  double add(PowerSums& sums, double t) {
    const double off = weight_.width * std::sinh(t);
    const double log_weight = weight_.log_at(off) + std::log(std::cosh(t));
    // The fourth root of the weight goes with each factor: neither overflows where their product does not.
    const double root = std::exp(log_weight / 4);
    const double value = scaled_quantile(lambda_, LogOdds::of(weight_.mode + off), log_weight / 4);
    double share = 0;
    for (std::size_t r = 0; r <= orders_; ++r) {
      double term = 1;
      for (std::size_t k = 0; k < 4; ++k) term *= k < r ? value : root;
      sums.sum[r] += term;
      sums.magnitude[r] += std::abs(term);
      if (sums.magnitude[r] > 0) share = std::max(share, std::abs(term) / sums.magnitude[r]);
    }
    return share;
  }

  void sweep(PowerSums& sums, double from, double step) {
    constexpr double kFarthest = 40;
    int negligible = 0;
    for (double t = from; std::abs(t) < kFarthest && negligible < 3; t += step)
      negligible = add(sums, t) < 1e-18 ? negligible + 1 : 0;
  }

  const GeneralizedLambda& lambda_;
  OrderWeight weight_;
  std::size_t orders_ = 0;  // moments that exist
};

}  // namespace
}  // namespace foretask::distribution

namespace foretask::analysis {

Result<std::array<double, 4>> GeneralizedLambda::order_moments(std::uint64_t rank, std::uint64_t n) const {
  if (rank == 0 || rank > n)
    return Error{"order statistic " + std::to_string(rank) + " of " + std::to_string(n) + ": no such rank"};
  if (!valid()) return Error{"these lambdas are no distribution: their quantile function does not increase"};
  return distribution::OrderQuadrature(*this, static_cast<double>(rank), static_cast<double>(n)).moments();
}

}  // namespace foretask::analysis
