// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/expectation.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "distribution/family/log_odds.hpp"
#include "distribution/family/quadrature.hpp"

namespace foretask::distribution {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The distribution over the log odds of X that expectations are of: X's own, or that of an order statistic of it.
class Measure {
 public:
  explicit Measure(const OrderMap* map) : map_(map) {
    if (map_ != nullptr) place_ = {map_->beta().center(), map_->beta().width()};
  }
  const Place& place() const { return place_; }
  double density(double z) const { return map_ == nullptr ? weight(z) : std::exp(map_->beta().log_density(z)); }
  double mass(double from, double to) const {
    if (map_ == nullptr) return mass_between(from, to);
    const bool middle = map_->rank() > 1 && map_->rank() < map_->n();
    // Of small atoms the density is cheaper than its integral, and as exact.
    if (middle && to - from < place_.width / 8) return gauss(from, to);
    return mass_between(map_->order_of(from), map_->order_of(to));
  }

 private:
  double gauss(double from, double to) const {
    using Rule = boost::math::quadrature::gauss<double, 5>;
    const double half = (to - from) / 2;
    double sum = Rule::weights()[0] * density(from + half);
    for (std::size_t i = 1; i < 3; ++i)
      sum += Rule::weights()[i] *
             (density(from + half - half * Rule::abscissa()[i]) + density(from + half + half * Rule::abscissa()[i]));
    return sum * half;
  }

  const OrderMap* map_;
  Place place_;
};

double inside(double from, double to) {
  if (std::isinf(from)) return std::isinf(to) ? 0 : to - 1;
  return std::isinf(to) ? from + 1 : from + (to - from) / 2;
}

using ManyOfX = std::function<void(double, double*)>;

std::vector<double> expect(const Univariate& dist, const Measure& measure, std::size_t count, const ManyOfX& of_x,
                           double from = -kInfinity) {
  const Integrand integrand = [&](double z, double* values) {
    const double density = measure.density(z);
    of_x(dist.quantile(z), values);
    // Beyond the range of doubles the weight wins, or else the quadrature sees that it does not.
    for (std::size_t k = 0; k < count; ++k) values[k] = density > 0 ? values[k] * density : 0;
    return density;
  };
  Integral total(count);
  std::vector<double> values(count);
  for (const Piece& piece : dist.pieces()) {
    if (!(piece.end > from)) continue;
    if (piece.atom) {
      const double mass = measure.mass(from, piece.end);
      if (mass > 0) {
        of_x(dist.quantile(inside(from, piece.end)), values.data());
        total.add(values.data(), mass);
      }
    } else {
      add_integral(integrand, from, piece.end, measure.place(), total);
    }
    from = piece.end;
  }
  return total.sum;
}

void powers(double x, double* values) {
  values[0] = x;
  values[1] = x * x;
  values[2] = values[1] * x;
  values[3] = values[1] * values[1];
}

std::array<double, 4> measured_moments(const Univariate& dist, const Measure& measure) {
  const double shift = dist.quantile(measure.place().center);
  return central_about(shift,
                       expect(dist, measure, 4, [shift](double x, double* values) { powers(x - shift, values); }));
}

analysis::Moments of_central(const std::array<double, 4>& central) {
  analysis::Moments moments;
  moments.mean = central[0];
  moments.variance = central[1];
  if (central[1] <= 0) return moments;
  moments.skewness = central[2] / (central[1] * std::sqrt(central[1]));
  moments.kurtosis = central[3] / (central[1] * central[1]);
  return moments;
}

}  // namespace

std::array<double, 4> central_about(double shift, const std::vector<double>& m) {
  const double d = m[0];
  return {shift + d, std::isnan(m[1]) ? kNaN : std::max(0.0, m[1] - d * d), m[2] - 3 * d * m[1] + 2 * d * d * d,
          m[3] - 4 * d * m[2] + 6 * d * d * m[1] - 3 * d * d * d * d};
}

std::vector<double> expectations(const Univariate& dist, std::size_t count, const ManyOfX& of_x, double from) {
  return expect(dist, Measure(nullptr), count, of_x, from);
}

std::array<double, 4> central_moments(const Univariate& dist) { return measured_moments(dist, Measure(nullptr)); }

analysis::Moments moments_of(const Univariate& dist) { return of_central(central_moments(dist)); }

analysis::Moments moments_of_order(const Univariate& x, const OrderMap& map) {
  return of_central(measured_moments(x, Measure(map.n() == 1 ? nullptr : &map)));
}

}  // namespace foretask::distribution
