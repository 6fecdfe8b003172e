// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/known_family.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "distribution/family/incomplete_beta.hpp"
#include "distribution/family/log_gamma.hpp"
#include "distribution/family/log_odds.hpp"
#include "distribution/family/normal_tail.hpp"
#include "distribution/family/quiet_math.hpp"

namespace foretask::distribution {
namespace {

// Beyond it probabilities are no doubles any more: logarithms take over.
constexpr double kFarTail = 690;

class Constant final : public Univariate {
 public:
  explicit Constant(double value) : value_(value) {}
  double quantile(double) const override { return value_; }
  double log_odds(double x) const override { return x >= value_ ? kInfinity : -kInfinity; }
  double log_odds_below(double x) const override { return x > value_ ? kInfinity : -kInfinity; }
  std::vector<Piece> pieces() const override { return {{kInfinity, true}}; }

 private:
  double value_;
};

class Uniform final : public Univariate {
 public:
  Uniform(double low, double high) : low_(low), high_(high) {}
  double quantile(double z) const override {
    return z < 0 ? low_ + (high_ - low_) * lower(z) : high_ - (high_ - low_) * upper(z);
  }
  double log_odds(double x) const override { return z_of(x - low_, high_ - x); }

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
  double log_odds(double x) const override {
    if (!(x > 0)) return -kInfinity;
    return z_of_log_upper(shape_ == 1 ? -x / scale_ : -std::pow(x / scale_, shape_));
  }

 private:
  double shape_;
  double scale_;
};

class Normal final : public Univariate {
 public:
  Normal(double mean, double sd) : mean_(mean), sd_(sd) {}
  double quantile(double z) const override { return mean_ + sd_ * normal_quantile(z); }
  double log_odds(double x) const override { return normal_log_odds((x - mean_) / sd_); }

 private:
  double mean_;
  double sd_;
};

class Lognormal final : public Univariate {
 public:
  Lognormal(double mu, double sigma) : mu_(mu), sigma_(sigma) {}
  double quantile(double z) const override { return std::exp(mu_ + sigma_ * normal_quantile(z)); }
  double log_odds(double x) const override {
    return x > 0 ? normal_log_odds((std::log(x) - mu_) / sigma_) : -kInfinity;
  }

 private:
  double mu_;
  double sigma_;
};

class Gamma final : public Univariate {
 public:
  Gamma(double shape, double scale) : shape_(shape), scale_(scale), log_gamma_(log_gamma(shape)) {}

  double quantile(double z) const override {
    if (std::isinf(z)) return z < 0 ? 0 : kInfinity;
    if (z < -kFarTail) return scale_ * far_lower(log_lower(z));
    if (z > kFarTail) return scale_ * far_upper(log_upper(z));
    return scale_ * (z < 0 ? boost::math::gamma_p_inv(shape_, lower(z), QuietMath())
                           : boost::math::gamma_q_inv(shape_, upper(z), QuietMath()));
  }

  double log_odds(double x) const override {
    const double t = x / scale_;
    if (!(t > 0)) return -kInfinity;
    if (std::isinf(t)) return kInfinity;
    const double below = boost::math::gamma_p(shape_, t, QuietMath());
    if (below < 1e-290) return z_of_log_lower(log_below(t));
    const double above = boost::math::gamma_q(shape_, t, QuietMath());
    if (above < 1e-290) return z_of_log_upper(log_above(t));
    return z_of(below, above);
  }

  bool costly() const override { return true; }

 private:
  double log_density(double t) const { return (shape_ - 1) * std::log(t) - t - log_gamma_; }

  // The series that has only positive terms.
  double log_below(double t) const {
    double term = 1;
    double sum = 1;
    for (double i = 1; term > 1e-17 * sum && i < 1e6; ++i) {
      term *= t / (shape_ + i);
      sum += term;
    }
    return log_density(t) + std::log(t / shape_ * sum);
  }

  // Legendre's continued fraction, which converges fast so far out.
  double log_above(double t) const {
    double b = t + 1 - shape_;
    double c = 1e300;
    double d = 1 / b;
    double fraction = d;
    for (double i = 1; i < 1e6; ++i) {
      const double a = -i * (i - shape_);
      b += 2;
      d = 1 / (a * d + b);
      c = b + a / c;
      fraction *= c * d;
      if (std::fabs(c * d - 1) < 1e-16) break;
    }
    return log_density(t) + std::log(t * fraction);
  }

  // Newton's steps over log t: log P is concave there.
  double far_lower(double target) const {
    double log_t = (target + log_gamma_ + std::log(shape_)) / shape_;
    for (int i = 0; i < 100; ++i) {
      const double t = std::exp(log_t);
      if (t < 1e-18) break;  // the leading term is all there is
      const double now = log_below(t);
      const double step = (target - now) * std::exp(now - log_density(t)) / t;
      log_t += step;
      if (std::fabs(step) < 1e-15 * std::fmax(1, std::fabs(log_t))) break;
    }
    return std::exp(log_t);
  }

  double far_upper(double target) const {
    double t = boost::math::gamma_q_inv(shape_, 1e-299, QuietMath());
    for (int i = 0; i < 100; ++i) {
      const double now = log_above(t);
      const double step = (now - target) * std::exp(now - log_density(t));
      t += step;
      if (std::fabs(step) < 1e-15 * t) break;
    }
    return t;
  }

  double shape_;
  double scale_;
  double log_gamma_;
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
  double log_odds(double x) const override {
    if (a_ + b_ < kMostOfBoost && x > 0 && x < 1) {
      const double below = boost::math::ibeta(a_, b_, x, QuietMath());
      const double above = boost::math::ibetac(a_, b_, x, QuietMath());
      if (std::fmin(below, above) > 1e-290) return z_of(below, above);
    }
    return map_.forward(z_of(x, 1 - x));
  }

  bool costly() const override { return true; }

 private:
  // Where Boost is right, and the faster one: at exponents of 1e9 it has 7 digits, at 1e18 none.
  static constexpr double kMostOfBoost = 2000;
  static constexpr double kFarOfBoost = 30;

  double a_;
  double b_;
  IncompleteBeta map_;
};

}  // namespace

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

}  // namespace foretask::distribution
