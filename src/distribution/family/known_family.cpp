// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/known_family.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>
#include <utility>

#include "distribution/family/log_odds.hpp"
#include "distribution/family/order_map.hpp"
#include "distribution/family/quiet_math.hpp"

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

// Log odds beyond which probabilities are no doubles.
constexpr double kFarthest = 707;

// Back from normal_quantile().
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

Cumulants scaled(double mean, double sd, double skewness, double excess) {
  return {mean, sd * sd, skewness * sd * sd * sd, excess * sd * sd * sd * sd};
}

class Constant final : public Univariate {
 public:
  explicit Constant(double value) : value_(value) {}
  double quantile(double) const override { return value_; }
  double odds(double x, bool below) const override {
    return x > value_ || (!below && x == value_) ? kInfinity : -kInfinity;
  }
  std::vector<Piece> pieces() const override { return {{kInfinity, true}}; }
  std::optional<Cumulants> cumulants() const override { return Cumulants{value_, 0, 0, 0}; }

 private:
  double value_;
};

class Uniform final : public Univariate {
 public:
  Uniform(double low, double high) : low_(low), high_(high) {}
  double quantile(double z) const override {
    return z < 0 ? low_ + (high_ - low_) * lower(z) : high_ - (high_ - low_) * upper(z);
  }
  double odds(double x, bool) const override { return z_of(x - low_, high_ - x); }
  std::optional<Cumulants> cumulants() const override {
    return scaled(low_ + (high_ - low_) / 2, (high_ - low_) / std::sqrt(12.0), 0, -1.2);
  }

 private:
  double low_;
  double high_;
};

// The exponential is that of shape 1.
class Weibull final : public Univariate {
 public:
  Weibull(double shape, double scale) : shape_(shape), scale_(scale) {}
  double quantile(double z) const override {
    const double depth = -log_upper(z);
    return scale_ * (shape_ == 1 ? depth : std::pow(depth, 1 / shape_));
  }
  double odds(double x, bool) const override {
    if (!(x > 0)) return -kInfinity;
    return z_of_log_upper(shape_ == 1 ? -x / scale_ : -std::pow(x / scale_, shape_));
  }
  // But for the exponential the formula cancels.
  std::optional<Cumulants> cumulants() const override {
    if (shape_ != 1) return std::nullopt;
    return scaled(scale_, scale_, 2, 6);
  }

 private:
  double shape_;
  double scale_;
};

class Normal final : public Univariate {
 public:
  Normal(double mean, double sd) : mean_(mean), sd_(sd) {}
  double quantile(double z) const override { return mean_ + sd_ * normal_quantile(z); }
  double odds(double x, bool) const override { return normal_log_odds((x - mean_) / sd_); }
  std::optional<Cumulants> cumulants() const override { return scaled(mean_, sd_, 0, 0); }

 private:
  double mean_;
  double sd_;
};

class Lognormal final : public Univariate {
 public:
  Lognormal(double mu, double sigma) : mu_(mu), sigma_(sigma) {}
  double quantile(double z) const override { return std::exp(mu_ + sigma_ * normal_quantile(z)); }
  double odds(double x, bool) const override {
    return x > 0 ? normal_log_odds((std::log(x) - mu_) / sigma_) : -kInfinity;
  }
  std::optional<Cumulants> cumulants() const override {
    const double v = std::expm1(sigma_ * sigma_);  // w - 1, with w = exp(sigma^2)
    const double w = v + 1;
    const double mean = std::exp(mu_ + sigma_ * sigma_ / 2);
    return scaled(mean, mean * std::sqrt(v), (w + 2) * std::sqrt(v), v * (w * w * w + 3 * w * w + 6 * w + 6));
  }

 private:
  double mu_;
  double sigma_;
};

class Gamma final : public Univariate {
 public:
  Gamma(double shape, double scale) : shape_(shape), scale_(scale) {}
  double quantile(double z) const override {
    if (std::isinf(z)) return z < 0 ? 0 : kInfinity;
    const double at = std::clamp(z, -kFarthest, kFarthest);
    return scale_ * (at < 0 ? boost::math::gamma_p_inv(shape_, lower(at), QuietMath())
                            : boost::math::gamma_q_inv(shape_, upper(at), QuietMath()));
  }
  double odds(double x, bool) const override {
    const double t = x / scale_;
    if (!(t > 0)) return -kInfinity;
    if (std::isinf(t)) return kInfinity;
    return z_of(boost::math::gamma_p(shape_, t, QuietMath()), boost::math::gamma_q(shape_, t, QuietMath()));
  }
  bool costly() const override { return true; }
  std::optional<Cumulants> cumulants() const override {
    return scaled(shape_ * scale_, std::sqrt(shape_) * scale_, 2 / std::sqrt(shape_), 6 / shape_);
  }

 private:
  double shape_;
  double scale_;
};

class Beta final : public Univariate {
 public:
  Beta(double a, double b) : a_(a), b_(b), map_(a, b) {}
  double quantile(double z) const override {
    if (a_ + b_ < kMostOfBoost && std::fabs(z) < kFarOfBoost)
      return z < 0 ? boost::math::ibeta_inv(a_, b_, lower(z), QuietMath())
                   : boost::math::ibetac_inv(a_, b_, upper(z), QuietMath());
    return lower(map_.inverse(z));
  }
  double odds(double x, bool) const override {
    if (a_ + b_ < kMostOfBoost && x > 0 && x < 1) {
      const double below = boost::math::ibeta(a_, b_, x, QuietMath());
      const double above = boost::math::ibetac(a_, b_, x, QuietMath());
      if (std::fmin(below, above) > 1e-290) return z_of(below, above);
    }
    return map_.forward(z_of(x, 1 - x));
  }

  bool costly() const override { return true; }
  std::optional<Cumulants> cumulants() const override {
    const double sum = a_ + b_;
    const double product = a_ * b_;
    const double skewness = 2 * (b_ - a_) * std::sqrt(sum + 1) / ((sum + 2) * std::sqrt(product));
    const double excess =
        6 * ((a_ - b_) * (a_ - b_) * (sum + 1) - product * (sum + 2)) / (product * (sum + 2) * (sum + 3));
    return scaled(a_ / sum, std::sqrt(product / (sum + 1)) / sum, skewness, excess);
  }

 private:
  // Where Boost is right, and the faster one: at exponents of 1e9 it has 7 digits, at 1e18 none.
  static constexpr double kMostOfBoost = 2000;
  static constexpr double kFarOfBoost = 30;

  double a_;
  double b_;
  IncompleteBeta map_;
};

// Log odds beyond which doubles have no probability that a mixture could be asked for.
constexpr double kFarthestOfMixture = 700;

class LambdaDistribution final : public Univariate {
 public:
  explicit LambdaDistribution(const analysis::GeneralizedLambda& lambda) : lambda_(lambda) {}

  [[nodiscard]] double quantile(double z) const override { return lambda_.quantile_at_log_odds(z); }
  [[nodiscard]] double odds(double x, bool) const override { return lambda_.log_odds(x); }

 private:
  analysis::GeneralizedLambda lambda_;
};

class MixtureDistribution final : public Univariate {
 public:
  explicit MixtureDistribution(const analysis::GaussianMixture& mixture) : mixture_(mixture) {}

  [[nodiscard]] double odds(double x, bool) const override { return z_of(mixture_.cdf(x), mixture_.upper(x)); }
  [[nodiscard]] double quantile(double z) const override {
    if (std::isinf(z)) return z;
    const double near = std::clamp(z, -kFarthestOfMixture, kFarthestOfMixture);
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
  [[nodiscard]] double odds(double x, bool below) const override { return dist_->odds(x - by_, below); }
  [[nodiscard]] std::vector<Piece> pieces() const override { return dist_->pieces(); }

 private:
  UnivariatePtr dist_;
  double by_;
};

}  // namespace

double normal_tail(double t) noexcept { return std::erfc(t / std::numbers::sqrt2) / 2; }

double normal_tail_quantile(double probability) noexcept {
  return std::numbers::sqrt2 * boost::math::erfc_inv(2 * probability, QuietMath());
}

double normal_quantile(double z) noexcept { return z < 0 ? -upper_quantile(-z) : upper_quantile(z); }

UnivariatePtr make_family(Family family, double a, double b) {
  switch (family) {
    case Family::constant:
      return std::make_shared<Constant>(a);
    case Family::uniform:
      return std::make_shared<Uniform>(a, b);
    case Family::exponential:
      return std::make_shared<Weibull>(1.0, a);
    case Family::normal:
      return std::make_shared<Normal>(a, b);
    case Family::lognormal:
      return std::make_shared<Lognormal>(a, b);
    case Family::gamma:
      return std::make_shared<Gamma>(a, b);
    case Family::weibull:
      return std::make_shared<Weibull>(a, b);
    case Family::beta:
      break;
  }
  return std::make_shared<Beta>(a, b);
}

UnivariatePtr lambda_distribution(const analysis::GeneralizedLambda& lambda) {
  return std::make_shared<const LambdaDistribution>(lambda);
}

UnivariatePtr mixture_distribution(const analysis::GaussianMixture& mixture) {
  return std::make_shared<const MixtureDistribution>(mixture);
}

UnivariatePtr shifted(UnivariatePtr dist, double by) { return std::make_shared<const Shifted>(std::move(dist), by); }

}  // namespace foretask::distribution
