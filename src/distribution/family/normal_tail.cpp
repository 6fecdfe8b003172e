// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/normal_tail.hpp"

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "distribution/family/log_odds.hpp"
#include "distribution/family/quiet_math.hpp"
#include "distribution/family/univariate.hpp"

namespace foretask::distribution {
namespace {

// Beyond it probabilities are no doubles any more: logarithms take over.
constexpr double kFarTail = 690;
constexpr double kHalfLogTwoPi = 0.9189385332046727418;

// log P(T > t) for t >= 37: the asymptotic series, to the last digit there.
double log_far_tail(double t) noexcept {
  const double square = 1 / (t * t);
  const double series = 1 - square * (1 - square * (3 - square * (15 - square * (105 - square * 945))));
  return -t * t / 2 - std::log(t) - kHalfLogTwoPi + std::log(series);
}

// t with log odds -z of P(T > t), z >= 0.
double upper_quantile(double z) noexcept {
  if (z <= kFarTail) return normal_tail_quantile(upper(z));
  if (std::isinf(z)) return kInfinity;
  const double target = log_upper(z);
  double t = std::sqrt(-2 * target);
  for (int i = 0; i < 6; ++i) t += (log_far_tail(t) - target) / (t + 1 / t);  // the hazard rate
  return t;
}

}  // namespace

double normal_tail(double t) noexcept { return std::erfc(t / std::numbers::sqrt2) / 2; }

double normal_tail_quantile(double probability) noexcept {
  return std::numbers::sqrt2 * boost::math::erfc_inv(2 * probability, QuietMath());
}

double normal_quantile(double z) noexcept { return z < 0 ? -upper_quantile(-z) : upper_quantile(z); }

double normal_log_odds(double t) noexcept {
  const double far = std::fabs(t);
  double z = 0;
  if (far < 37) {
    const double tail = normal_tail(far);
    z = z_of(1 - tail, tail);
  } else {
    z = z_of_log_upper(log_far_tail(far));
  }
  return t < 0 ? -z : z;
}

}  // namespace foretask::distribution
