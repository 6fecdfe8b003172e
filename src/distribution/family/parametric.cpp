// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/parametric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "distribution/family/log_odds.hpp"

namespace foretask::distribution {

namespace {

// Log odds beyond which doubles have no probability.
constexpr double kFarthest = 700;

class LambdaDistribution final : public Univariate {
 public:
  explicit LambdaDistribution(const analysis::GeneralizedLambda& lambda) : lambda_(lambda) {}

  [[nodiscard]] double quantile(double z) const override { return lambda_.quantile_at_log_odds(z); }
  [[nodiscard]] double log_odds(double x) const override { return lambda_.log_odds(x); }

 private:
  analysis::GeneralizedLambda lambda_;
};

class MixtureDistribution final : public Univariate {
 public:
  explicit MixtureDistribution(const analysis::GaussianMixture& mixture) : mixture_(mixture) {}

  [[nodiscard]] double log_odds(double x) const override { return z_of(mixture_.cdf(x), mixture_.upper(x)); }
  [[nodiscard]] double quantile(double z) const override {
    if (std::isinf(z)) return z;
    const double near = std::clamp(z, -kFarthest, kFarthest);
    return mixture_.quantile(lower(near), upper(near));
  }
  [[nodiscard]] std::optional<Cumulants> cumulants() const override { return cumulants_of(mixture_.moments()); }

 private:
  analysis::GaussianMixture mixture_;
};

class Shifted final : public Univariate {
 public:
  Shifted(UnivariatePtr dist, double by) : dist_(std::move(dist)), by_(by) {}
  [[nodiscard]] double quantile(double z) const override { return dist_->quantile(z) + by_; }
  [[nodiscard]] double log_odds(double x) const override { return dist_->log_odds(x - by_); }
  [[nodiscard]] double log_odds_below(double x) const override { return dist_->log_odds_below(x - by_); }
  [[nodiscard]] std::vector<Piece> pieces() const override { return dist_->pieces(); }

 private:
  UnivariatePtr dist_;
  double by_;
};

}  // namespace

UnivariatePtr lambda_distribution(const analysis::GeneralizedLambda& lambda) {
  return std::make_shared<const LambdaDistribution>(lambda);
}

UnivariatePtr mixture_distribution(const analysis::GaussianMixture& mixture) {
  return std::make_shared<const MixtureDistribution>(mixture);
}

UnivariatePtr shifted(UnivariatePtr dist, double by) { return std::make_shared<const Shifted>(std::move(dist), by); }

}  // namespace foretask::distribution
