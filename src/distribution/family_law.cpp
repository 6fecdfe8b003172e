// SPDX-License-Identifier: Apache-2.0
#include "distribution/family_law.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "distribution/density_march.hpp"
#include "distribution/incomplete_beta.hpp"
#include "distribution/log_gamma.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/normal_tail.hpp"
#include "distribution/quiet_math.hpp"

namespace foretask::distribution {
namespace {

// Beyond it probabilities are no doubles any more: logarithms take over.
constexpr double kFarTail = 690;

class Constant final : public Law {
 public:
  explicit Constant(double value) : value_(value) {}
  double quantile(double) const override { return value_; }
  double log_odds(double x) const override { return x >= value_ ? kInfinity : -kInfinity; }
  double log_odds_below(double x) const override { return x > value_ ? kInfinity : -kInfinity; }
  std::vector<Piece> pieces() const override { return {{kInfinity, true}}; }

 private:
  double value_;
};

class Uniform final : public Law {
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

// Their z, and their w.
std::vector<double> points_of(const std::vector<MarchPoint>& points, std::vector<double>& w) {
  std::vector<double> z;
  w.clear();
  for (const MarchPoint& point : points) {
    z.push_back(point.z);
    w.push_back(point.w);
  }
  return z;
}

// The exponential is that of shape 1.
class Weibull final : public Law {
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

class Normal final : public Law {
 public:
  Normal(double mean, double sd) : mean_(mean), sd_(sd) {}
  double quantile(double z) const override { return mean_ + sd_ * normal_quantile(z); }
  double log_odds(double x) const override { return normal_log_odds((x - mean_) / sd_); }

 private:
  double mean_;
  double sd_;
};

class Lognormal final : public Law {
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

class Gamma final : public Law {
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

  void points_near(std::vector<double>& z, std::vector<double>& x) const override {
    // Over w = log(t / shape), in a form that keeps its digits for large shapes.
    struct Density {
      double shape;
      double log_scale;
      double log_at(double w) const { return shape * (w - std::expm1(w)) + log_scale; }
      double log_slope_at(double w) const { return -shape * std::expm1(w); }
    };
    const Density density{shape_, shape_ * (std::log(shape_) - 1) - log_gamma_};
    const auto end = [&](double at) {
      const double w = std::log(quantile(at) / scale_ / shape_);
      return MarchPoint{w, at};
    };
    const MarchPoint low = end(z.front());
    if (!std::isfinite(low.w)) return Law::points_near(z, x);
    z = points_of(march_by_density(density, low, end(z.back()), z), x);
    for (double& value : x) value = scale_ * shape_ * std::exp(value);
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

class Beta final : public Law {
 public:
  Beta(double a, double b) : a_(a), b_(b), log_beta_(log_gamma(a) + log_gamma(b) - log_gamma(a + b)), map_(a, b) {}
  double quantile(double z) const override { return lower(map_.inverse(z)); }
  double log_odds(double x) const override { return map_.forward(z_of(x, 1 - x)); }

  void points_near(std::vector<double>& z, std::vector<double>& x) const override {
    if (!(a_ + b_ < kMostExponents)) return Law::points_near(z, x);
    // Over the log odds of x itself.
    struct Density {
      double a;
      double b;
      double log_beta;
      double log_at(double w) const {
        const double rest = (a + b) * std::log1p(std::exp(-std::fabs(w))) + log_beta;
        return (w < 0 ? a * w : -b * w) - rest;
      }
      double log_slope_at(double w) const { return a * upper(w) - b * lower(w); }
    };
    const MarchPoint low = end(z.front());
    const MarchPoint high = end(z.back());
    z = points_of(march_by_density(Density{a_, b_, log_beta_}, low, high, z), x);
    for (double& value : x) value = lower(value);
  }
  bool costly() const override { return true; }

 private:
  static constexpr double kMostExponents = 1000;  // of larger ones the plain density loses digits

  // A point far out, about as far as `z`, and its own log odds: by the series of positive terms (DLMF 8.17.8).
  MarchPoint end(double z) const {
    const double a = z < 0 ? a_ : b_;
    const double b = z < 0 ? b_ : a_;
    const double target = log_lower(-std::fabs(z));
    double w = (target + std::log(a) + log_beta_) / a;
    for (int i = 0; i < 40; ++i) {
      w = std::fmin(w, std::log(a / b));
      const double x = lower(w);
      const double log_density = a * log_lower(w) + b * log_upper(w) - log_beta_;
      double term = 1;
      double sum = 1;
      double n = 0;
      for (; n < 400 && term > 1e-16 * sum; ++n) {
        term *= x * (a + b + n) / (a + 1 + n);
        sum += term;
      }
      if (!(n < 400)) break;
      const double tail = log_density + std::log(sum / a);
      if (std::fabs(tail - target) < 0.5) {
        const double there = z_of_log_lower(tail);
        return z < 0 ? MarchPoint{w, there} : MarchPoint{-w, -there};
      }
      w += (target - tail) * std::exp(tail - log_density);
    }
    return {map_.inverse(z), z};
  }

  double a_;
  double b_;
  double log_beta_;
  IncompleteBeta map_;
};

}  // namespace

LawPtr make_family(Family family, double a, double b) {
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
