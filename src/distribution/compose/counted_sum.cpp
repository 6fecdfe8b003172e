// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/counted_sum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "distribution/compose/table.hpp"
#include "distribution/family/log_odds.hpp"
#include "distribution/family/normal_tail.hpp"
#include "statistics/root.hpp"

namespace foretask::distribution {
namespace {

class CountedSum final : public Univariate {
 public:
  CountedSum(UnivariatePtr times, double from, const Cumulants& body)
      : times_(std::move(times)),
        start_(times_->log_odds_below(from - 0.5)),
        sign_(body[0] < 0 ? -1 : 1),
        mean_(std::fabs(body[0])),
        sd_(std::sqrt(body[1])),
        skewness_(sign_ * body[2] / (body[1] * sd_)) {
    constexpr double kStep = 0.25;
    constexpr double kEnd = 34;
    for (double z = -kEnd; z <= kEnd; z += kStep) noise_.push_back({normal_quantile(z), kStep * weight(z)});
    // The number's log odds given that it is `from` or more, at an even chance.
    const double middle = times_->quantile(z_of(lower(start_) + upper(start_) / 2, upper(start_) / 2));
    centre_ = mean_ * middle;
    spread_ = sd_ * std::sqrt(middle) + 1e-3 * centre_;
  }

  double log_odds(double x) const override { return sign_ * odds(sign_ * x); }

  double quantile(double z) const override {
    if (std::isinf(z)) return z;
    const auto off = [this, wanted = sign_ * z](double x) { return std::clamp(odds(x) - wanted, -1e6, 1e6); };
    double from = centre_ - spread_;
    double to = centre_ + spread_;
    for (double step = spread_; off(from) > 0; step *= 2) from -= step;
    for (double step = spread_; off(to) < 0; step *= 2) to += step;
    return sign_ * statistics::root_between(off, from, to).value_or(to);
  }

 private:
  // Of the sum with its sign taken away.
  [[nodiscard]] double odds(double x) const {
    double f = 0;
    double rest = 0;
    for (const Node& noise : noise_) {
      const double z = given(x, noise.x);
      f += noise.mass * lower(z);
      rest += noise.mass * upper(z);
    }
    return z_of(f, rest);
  }

  // The largest n, by its square root, that keeps the sum below x.
  [[nodiscard]] double given(double x, double g) const {
    const double left = x - skewness_ * sd_ * (g * g - 1) / 6;
    const double under = sd_ * sd_ * g * g + 4 * mean_ * left;
    if (!(under >= 0)) return -kInfinity;
    const double root = (-sd_ * g + std::sqrt(under)) / (2 * mean_);
    if (!(root > 0)) return -kInfinity;
    const double z = times_->log_odds(root * root);
    return z > start_ ? z_of(mass_between(start_, z), upper(z)) : -kInfinity;
  }

  UnivariatePtr times_;
  double start_;  // log odds of the number being below `from`
  double sign_;
  double mean_;
  double sd_;
  double skewness_;
  double centre_ = 0;
  double spread_ = 0;
  std::vector<Node> noise_;
};

}  // namespace

double least_count(const Cumulants& body) {
  constexpr double kOfSpread = 38;    // so that the sum rises with n at 6 standard deviations
  constexpr double kOfSkewness = 11;  // so that the correction is a small one
  const double skewness2 = body[2] * body[2] / (body[1] * body[1] * body[1]);
  const double least = std::max(kOfSpread * body[1] / (body[0] * body[0]), kOfSkewness * skewness2);
  return std::isfinite(least) ? std::max(64.0, std::ceil(least)) : kInfinity;
}

UnivariatePtr counted_sum(UnivariatePtr times, double from, const Cumulants& body) {
  return std::make_shared<const CountedSum>(std::move(times), from, body);
}

}  // namespace foretask::distribution
