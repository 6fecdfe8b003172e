// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/expectation.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "distribution/family/log_odds.hpp"
#include "distribution/family/quadrature.hpp"

namespace foretask::distribution {
namespace {

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
    if (middle && to - from < place_.width / 8)
      return boost::math::quadrature::gauss<double, 5>::integrate([this](double z) { return density(z); }, from, to);
    return mass_between(map_->order_of(from), map_->order_of(to));
  }

 private:
  const OrderMap* map_;
  Place place_;
};

double inside(double from, double to) {
  if (std::isinf(from)) return std::isinf(to) ? 0 : to - 1;
  return std::isinf(to) ? from + 1 : from + (to - from) / 2;
}

Powers expect(const Univariate& dist, const Measure& measure, const std::function<double(double)>& of_x,
              double from = -kInfinity) {
  const Integrand integrand = [&](double z, Powers& values) {
    const double density = measure.density(z);
    values = powers_of(of_x(dist.quantile(z)));
    // Beyond the range of doubles the weight wins, or else the quadrature sees that it does not.
    for (double& value : values) value = density > 0 ? value * density : 0;
    return density;
  };
  Integral total;
  for (const Piece& piece : dist.pieces()) {
    if (!(piece.end > from)) continue;
    if (piece.atom) {
      const double mass = measure.mass(from, piece.end);
      if (mass > 0) total.add(powers_of(of_x(dist.quantile(inside(from, piece.end)))), mass);
    } else {
      add_integral(integrand, from, piece.end, measure.place(), total);
    }
    from = piece.end;
  }
  return total.sum;
}

Cumulants measured(const Univariate& dist, const Measure& measure) {
  const double shift = dist.quantile(measure.place().center);
  return cumulants_about(shift, expect(dist, measure, [shift](double x) { return x - shift; }));
}

}  // namespace

Powers powers_of(double x) noexcept { return {x, x * x, x * x * x, x * x * x * x}; }

Powers expected_powers(const Univariate& dist, const std::function<double(double)>& of_x, double from) {
  return expect(dist, Measure(nullptr), of_x, from);
}

Cumulants integrated_cumulants(const Univariate& dist) { return measured(dist, Measure(nullptr)); }

Cumulants cumulants_of(const Univariate& dist) {
  const auto known = dist.cumulants();
  return known ? *known : integrated_cumulants(dist);
}

Cumulants cumulants_of_order(const Univariate& x, const OrderMap& map) {
  return measured(x, Measure(map.n() == 1 ? nullptr : &map));
}

}  // namespace foretask::distribution
