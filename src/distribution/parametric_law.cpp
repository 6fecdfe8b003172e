// SPDX-License-Identifier: Apache-2.0
#include "distribution/parametric_law.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "distribution/log_odds.hpp"

namespace foretask::distribution {

namespace {

// Log odds beyond which doubles have no probability.
constexpr double kFarthest = 700;

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

  [[nodiscard]] double log_odds(double x) const override { return z_of(mixture_.cdf(x), mixture_.upper(x)); }
  [[nodiscard]] double quantile(double z) const override {
    if (std::isinf(z)) return z;
    const double near = std::clamp(z, -kFarthest, kFarthest);
    return mixture_.quantile(lower(near), upper(near));
  }

 private:
  analysis::GaussianMixture mixture_;
};

class MovedLaw final : public Law {
 public:
  MovedLaw(LawPtr law, double by) : law_(std::move(law)), by_(by) {}
  [[nodiscard]] double quantile(double z) const override { return law_->quantile(z) + by_; }
  [[nodiscard]] double log_odds(double x) const override { return law_->log_odds(x - by_); }
  [[nodiscard]] double log_odds_below(double x) const override { return law_->log_odds_below(x - by_); }
  [[nodiscard]] std::vector<Piece> pieces() const override { return law_->pieces(); }

 private:
  LawPtr law_;
  double by_;
};

}  // namespace

LawPtr lambda_law(const analysis::GeneralizedLambda& lambda) { return std::make_shared<const LambdaLaw>(lambda); }

LawPtr mixture_law(const analysis::GaussianMixture& mixture) { return std::make_shared<const MixtureLaw>(mixture); }

LawPtr moved_law(LawPtr law, double by) { return std::make_shared<const MovedLaw>(std::move(law), by); }

}  // namespace foretask::distribution
