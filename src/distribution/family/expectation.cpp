// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/expectation.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "distribution/family/log_odds.hpp"

namespace foretask::distribution {
namespace {

constexpr double kNegligible = 1e-18;
constexpr double kAgreement = 1e-13;
// Differences below this that do not shrink any more are rounding: of values near their upper end, for instance.
constexpr double kRounding = 1e-6;
constexpr int kHalvings = 6;

// What has grown beyond all doubles does not vanish, whatever the sum.
bool vanishes(double term, double size) { return std::isfinite(term) && std::fabs(term) <= kNegligible * size; }

// The rule with one step, and the sides on which it was cut off at the farthest log odds.
class Trapezoid {
 public:
  Trapezoid(const Path& path, const Integrand& integrand, const Place& place)
      : path_(path), integrand_(integrand), place_(place) {}

  // Points at (i + offset) * step for all i.
  Integral sum(double step, double offset) {
    Integral integral;
    for (const double sign : {1.0, -1.0}) {
      int vanished = 0;
      for (double i = sign > 0 ? 0 : 1; vanished < 3; ++i) {
        const PathPoint at = path_((sign * i + offset) * step);
        if (std::fabs(at.z) > place_.farthest && std::fabs(at.z - place_.center) > 40 * place_.width) {
          (at.z > 0 ? cut_high_ : cut_low_) = true;
          break;
        }
        vanished = add(integral, at, step) ? vanished + 1 : 0;
      }
    }
    return integral;
  }

  // What a tail that was cut off still has: nothing, a geometric rest, or no end.
  void add_rests(Integral& integral) {
    if (cut_high_) add_rest(integral, place_.farthest);
    if (cut_low_) add_rest(integral, -place_.farthest);
  }

 private:
  // Whether nothing came of it.
  bool add(Integral& integral, const PathPoint& at, double step) {
    const double times = at.slope * step;
    Powers values{};
    const double density = integrand_(at.z, values);
    bool negligible = density * at.slope <= kNegligible;
    integral.add(values, times);
    integral.mass += density * times;
    for (std::size_t k = 0; k < values.size() && negligible; ++k)
      negligible = vanishes(values[k] * times, integral.size[k]);
    return negligible;
  }

  void add_rest(Integral& integral, double at) {
    Powers far{};
    Powers nearer{};
    integrand_(at, far);
    integrand_(at * 0.9, nearer);
    for (std::size_t k = 0; k < far.size(); ++k) {
      if (vanishes(far[k], integral.size[k])) continue;
      const double rate = std::log(std::fabs(nearer[k] / far[k])) / (0.1 * std::fabs(at));
      // A rate so small is that of a moment that just does not exist, too.
      integral.sum[k] += rate > 2e-3 ? far[k] / rate : std::numeric_limits<double>::quiet_NaN();
    }
  }

  const Path& path_;
  const Integrand& integrand_;
  const Place& place_;
  bool cut_low_ = false;
  bool cut_high_ = false;
};

double largest_change(const Integral& coarse, const Integral& fine) {
  double largest = 0;
  for (std::size_t k = 0; k < fine.sum.size(); ++k)
    if (fine.size[k] > 0 && std::isfinite(fine.size[k]))
      largest = std::fmax(largest, std::fabs(coarse.sum[k] - fine.sum[k]) / fine.size[k]);
  return largest;
}

Path line(const Place& place) {
  return [place](double t) { return PathPoint{place.center + place.width * t, place.width}; };
}

// From `start` on, to infinity or (`sign` -1) minus infinity.
Path half_line(double start, double sign, double width) {
  return [=](double t) {
    const double distance = width * std::exp(t - std::exp(-t));
    return PathPoint{start + sign * distance, distance * (1 + std::exp(-t))};
  };
}

Path interval(double from, double to) {
  return [=](double t) {
    const double at = std::numbers::pi / 2 * std::sinh(t);
    const double half = (to - from) / 2;
    const double falls = 1 / std::cosh(at);
    return PathPoint{from + half + half * std::tanh(at), half * std::numbers::pi / 2 * std::cosh(t) * falls * falls};
  };
}

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

void Integral::add(const Powers& values, double times) {
  for (std::size_t k = 0; k < sum.size(); ++k) {
    sum[k] += times * values[k];
    size[k] += std::fabs(times * values[k]);
  }
}

void Integral::add(const Integral& other, double times) {
  for (std::size_t k = 0; k < sum.size(); ++k) {
    sum[k] += times * other.sum[k];
    size[k] += times * other.size[k];
  }
  mass += times * other.mass;
}

Integral integral_along(const Path& path, double step, const Integrand& integrand, const Place& place) {
  Trapezoid rule(path, integrand, place);
  Integral integral = rule.sum(step, 0);
  double last = kInfinity;
  for (int i = 0; i < kHalvings; ++i, step /= 2) {
    Integral finer;
    finer.add(integral, 0.5);
    finer.add(rule.sum(step, 0.5), 0.5);
    const double change = largest_change(integral, finer);
    integral = finer;
    if (change <= kAgreement || (change < kRounding && change > last / 4)) break;
    last = change;
  }
  rule.add_rests(integral);
  return integral;
}

void add_integral(const Integrand& integrand, double from, double to, const Place& place, Integral& total) {
  const double reach = 4 * place.width;
  const auto add = [&](const Path& path, double step) { total.add(integral_along(path, step, integrand, place)); };
  if (from == -kInfinity && to == kInfinity) {
    add(line(place), 0.5);
  } else if (to == kInfinity && from >= place.center - reach) {
    add(half_line(from, 1, place.width), 0.25);
  } else if (from == -kInfinity && to <= place.center + reach) {
    add(half_line(to, -1, place.width), 0.25);
  } else if (to == kInfinity || from == -kInfinity) {  // the end is far from the weight
    add_integral(integrand, from, place.center, place, total);
    add_integral(integrand, place.center, to, place, total);
  } else {
    constexpr double kFar = 12;  // widths from the center
    for (const double edge : {place.center - kFar * place.width, place.center, place.center + kFar * place.width, to}) {
      if (!(edge > from)) continue;
      add(interval(from, std::min(edge, to)), 0.5);
      from = edge;
      if (!(from < to)) break;
    }
  }
}

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
