// SPDX-License-Identifier: Apache-2.0
#include "distribution/parametric_law.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <utility>

#include "distribution/log_odds.hpp"

namespace foretask::distribution {

namespace {

constexpr double kRootTwo = 1.4142135623730951;
constexpr double kFarthest = 700;  // log odds beyond which doubles have no probability

double normal_quantile(double z) {
  const double x = kRootTwo * boost::math::erfc_inv(2 * lower(-std::fabs(std::clamp(z, -kFarthest, kFarthest))));
  return z < 0 ? -x : x;
}

// The root of a rising function between two values, by regula falsi with halving (Ridders' safeguards are not needed:
// the functions here are nearly straight after a few steps).
template <typename Function>
double root(const Function& f, double low, double high) {
  double at_low = f(low);
  double at_high = f(high);
  if (!(at_low < 0)) return low;
  if (!(at_high > 0)) return high;
  int side = 0;
  for (int i = 0; i < 200; ++i) {
    double x = i % 4 == 3 || !std::isfinite(at_low) || !std::isfinite(at_high)
                   ? (low + high) / 2
                   : low + (high - low) * (at_low / (at_low - at_high));
    if (!(x > low && x < high)) x = (low + high) / 2;
    if (!(x > low && x < high)) return x;
    const double y = f(x);
    if (y == 0) return x;
    if (y < 0) {
      low = x;
      at_low = y;
      if (side == -1) at_high /= 2;
      side = -1;
    } else {
      high = x;
      at_high = y;
      if (side == 1) at_low /= 2;
      side = 1;
    }
    if (high - low <= 2e-15 * std::max(std::fabs(low), std::fabs(high))) break;
  }
  return (low + high) / 2;
}

class LambdaLaw final : public Law {
 public:
  explicit LambdaLaw(const analysis::GeneralizedLambda& lambda) : lambda_(lambda) {}

  [[nodiscard]] double quantile(double z) const override { return lambda_.quantile_at_log_odds(z); }
  [[nodiscard]] double log_odds(double x) const override { return lambda_.log_odds(x); }

 private:
  analysis::GeneralizedLambda lambda_;
};

class MixtureLaw final : public Law {
 public:
  explicit MixtureLaw(const analysis::GaussianMixture& mixture) : mixture_(mixture) {}

  [[nodiscard]] double log_odds(double x) const override {
    double f = 0;
    double rest = 0;
    for (const analysis::MixturePart& part : mixture_.parts) {
      const double t = (x - part.mean) / (part.sd * kRootTwo);
      f += part.weight / 2 * std::erfc(-t);
      rest += part.weight / 2 * std::erfc(t);
    }
    return z_of(f, rest);
  }

  [[nodiscard]] double quantile(double z) const override {
    if (std::isinf(z)) return z;
    const double t = normal_quantile(z);
    double low = kInfinity;
    double high = -kInfinity;
    for (const analysis::MixturePart& part : mixture_.parts) {
      low = std::min(low, part.mean + part.sd * t);
      high = std::max(high, part.mean + part.sd * t);
    }
    if (mixture_.parts.size() == 1) return low;
    return root([&](double x) { return log_odds(x) - z; }, low, high);
  }

 private:
  analysis::GaussianMixture mixture_;
};

class MovedLaw final : public Law {
 public:
  MovedLaw(LawPtr law, double by, double stretch) : law_(std::move(law)), by_(by), stretch_(stretch) {}
  [[nodiscard]] double quantile(double z) const override { return stretch_ * law_->quantile(z) + by_; }
  [[nodiscard]] double log_odds(double x) const override { return law_->log_odds((x - by_) / stretch_); }
  [[nodiscard]] double log_odds_below(double x) const override { return law_->log_odds_below((x - by_) / stretch_); }
  [[nodiscard]] std::vector<Piece> pieces() const override { return law_->pieces(); }

 private:
  LawPtr law_;
  double by_;
  double stretch_;
};

}  // namespace

LawPtr lambda_law(const analysis::GeneralizedLambda& lambda) { return std::make_shared<const LambdaLaw>(lambda); }

LawPtr mixture_law(const analysis::GaussianMixture& mixture) { return std::make_shared<const MixtureLaw>(mixture); }

LawPtr moved_law(LawPtr law, double by, double stretch) {
  return std::make_shared<const MovedLaw>(std::move(law), by, stretch);
}

}  // namespace foretask::distribution
