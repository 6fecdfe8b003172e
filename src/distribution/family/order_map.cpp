// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/order_map.hpp"

#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstddef>
#include <utility>

#include "distribution/family/log_odds.hpp"
#include "distribution/family/quiet_math.hpp"

namespace foretask::distribution {
namespace {

constexpr double kHalfLogTwoPi = 0.9189385332046727418;

// lgamma(x) without Stirling's leading terms, which cancel in log B.
double stirling_rest(double x) {
  if (x < 16) return boost::math::lgamma(x, QuietMath()) - ((x - 0.5) * std::log(x) - x + kHalfLogTwoPi);
  const double square = 1 / (x * x);
  return (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square / 1188)))) / x;
}

// log density(z - t) - log density(z), t >= 0, x and y = 1 - x those of z. In this form nothing large cancels.
double step_down(double a, double b, double x, double y, double t) {
  const double fall = t < 700 ? std::log1p(y * std::expm1(t)) : t + std::log(y);
  const double gone = -x * std::expm1(-t);
  const double rise = gone < 0.5 ? std::log1p(-gone) : std::log(y + x * std::exp(-t));
  return -a * fall - b * rise;
}

// Nodes and weights of the double exponential rule for what decays exponentially over (0, infinity).
struct HalfLineRule {
  static constexpr std::size_t kNodes = 320;
  static constexpr double kStep = 1.0 / 32;
  std::array<double, kNodes> node{};
  std::array<double, kNodes> weight{};
  HalfLineRule() {
    for (std::size_t i = 0; i < kNodes; ++i) {
      const double u = -3.5 + kStep * static_cast<double>(i);
      node[i] = std::exp(u - std::exp(-u));
      weight[i] = kStep * node[i] * (1 + std::exp(-u));
    }
  }
};

const HalfLineRule& half_line_rule() {
  static const HalfLineRule rule;
  return rule;
}

// Abramowitz and Stegun 26.2.22: the normal quantile of a probability up to 1/2, to 3e-3.
double rough_normal_quantile(double log_p) {
  if (log_p > -0.6931) return 0;
  const double t = std::sqrt(-2 * log_p);
  return -(t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t));
}

class OrderStatistic final : public Univariate {
 public:
  OrderStatistic(UnivariatePtr x, std::uint64_t rank, std::uint64_t n) : x_(std::move(x)), map_(rank, n) {}

  double quantile(double z) const override { return x_->quantile(map_.base_of(z)); }
  double odds(double x, bool below) const override { return map_.order_of(x_->odds(x, below)); }
  std::vector<Piece> pieces() const override {
    std::vector<Piece> pieces = x_->pieces();
    for (Piece& piece : pieces) piece.end = map_.order_of(piece.end);
    return pieces;
  }

 private:
  UnivariatePtr x_;
  OrderMap map_;
};

}  // namespace

IncompleteBeta::IncompleteBeta(double a, double b)
    : a_(a),
      b_(b),
      center_(std::log(a) - std::log(b)),
      center_x_(lower(center_)),
      center_y_(upper(center_)),
      width_(std::sqrt(1 / a + 1 / b)),
      log_peak_(-std::log(width_) - kHalfLogTwoPi - stirling_rest(a) - stirling_rest(b) + stirling_rest(a + b)),
      middle_(0),
      log_beta_(a * log_lower(center_) + b * log_upper(center_) - log_peak_) {
  middle_ = z_of_log_lower(log_tail(center_, false));
}

double IncompleteBeta::log_density(double z) const noexcept {
  return log_peak_ + (z <= center_ ? step_down(a_, b_, center_x_, center_y_, center_ - z)
                                   : step_down(b_, a_, center_y_, center_x_, z - center_));
}

double IncompleteBeta::log_tail(double z, bool upper_side) const {
  const double a = upper_side ? b_ : a_;
  const double b = upper_side ? a_ : b_;
  const double x = upper_side ? upper(z) : lower(z);
  const double y = upper_side ? lower(z) : upper(z);
  // Over this distance the density falls by about a factor e.
  const double slope = std::fmax(a * y - b * x, 0);
  const double scale = 2 / (slope + std::sqrt(slope * slope + 2 * (a + b) * x * y));
  const HalfLineRule& rule = half_line_rule();
  // Exponents below 1 bring a slow tail beside the fast one: every node; otherwise every fourth is enough.
  const std::size_t stride = std::fmin(a, b) < 1 ? 1 : 4;
  double sum = 0;
  for (std::size_t i = 0; i < HalfLineRule::kNodes; i += stride) {
    const double change = step_down(a, b, x, y, scale * rule.node[i]);
    if (change < -45) break;
    sum += rule.weight[i] * std::exp(change);
  }
  return log_density(z) + std::log(scale * sum * static_cast<double>(stride));
}

double IncompleteBeta::forward(double z) const {
  if (std::isinf(z)) return z;
  return z <= center_ ? z_of_log_lower(log_tail(z, false)) : z_of_log_upper(log_tail(z, true));
}

double IncompleteBeta::inverse(double z) const {
  if (std::isinf(z)) return z;
  // log I is concave on the lower side of the center, so that Newton's steps come monotonously from below.
  const bool upper_side = z > middle_;
  const double sign = upper_side ? -1 : 1;
  const double a = upper_side ? b_ : a_;
  const double target = upper_side ? log_upper(z) : log_lower(z);
  const double asymptote = (target + std::log(a) + log_beta_) / a;
  double at = std::fmax(asymptote, sign * center_ + width_ * rough_normal_quantile(target));
  for (int i = 0; i < 60; ++i) {
    at = std::fmin(at, sign * center_);
    const double tail = log_tail(sign * at, upper_side);
    const double step = (target - tail) * std::exp(tail - log_density(sign * at));
    at += step;
    // The next one would be its square; or it is rounding alone that is left, as steps down are.
    if (!(std::fabs(step) > 1e-9 * width_) || (i > 3 && step < 0)) break;
  }
  return sign * at;
}

OrderMap::OrderMap(std::uint64_t rank, std::uint64_t n)
    : rank_(rank), n_(n), beta_(static_cast<double>(rank), static_cast<double>(n - rank + 1)) {}

double OrderMap::order_of(double z) const {
  if (n_ == 1) return z;
  if (rank_ == n_) return z_of_log_lower(static_cast<double>(n_) * log_lower(z));
  if (rank_ == 1) return z_of_log_upper(static_cast<double>(n_) * log_upper(z));
  return beta_.forward(z);
}

double OrderMap::base_of(double z) const {
  if (n_ == 1) return z;
  if (rank_ == n_) return z_of_log_lower(log_lower(z) / static_cast<double>(n_));
  if (rank_ == 1) return z_of_log_upper(log_upper(z) / static_cast<double>(n_));
  return beta_.inverse(z);
}

UnivariatePtr order_statistic(UnivariatePtr x, std::uint64_t rank, std::uint64_t n) {
  if (n == 1) return x;
  return std::make_shared<OrderStatistic>(std::move(x), rank, n);
}

}  // namespace foretask::distribution
