// SPDX-License-Identifier: Apache-2.0
#include "distribution/expectation.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "distribution/log_odds.hpp"
#include "distribution/quadrature.hpp"

namespace foretask::distribution {
namespace {

// A weight below this adds nothing, whatever f is (its growth is looked at besides).
constexpr double kNoWeight = 1e-18;
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

std::vector<double> expect(const Law& law, const Measure& measure, std::size_t count, const ManyOfX& of_x) {
  const Integrand integrand = [&](double z, double* values) {
    const double density = measure.density(z);
    of_x(law.quantile(z), values);
    // Beyond the range of doubles the weight wins, or else the quadrature sees that it does not.
    for (std::size_t k = 0; k < count; ++k) values[k] = density > 0 ? values[k] * density : 0;
    return density * measure.place().width > kNoWeight;
  };
  Integral total(count);
  std::vector<double> values(count);
  double from = -kInfinity;
  for (const Piece& piece : law.pieces()) {
    if (!(piece.end > from)) continue;
    if (piece.atom) {
      const double mass = measure.mass(from, piece.end);
      if (mass > 0) {
        of_x(law.quantile(inside(from, piece.end)), values.data());
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

// From moments about `shift`, which is within a standard deviation of the mean, so that little cancels.
std::array<double, 4> about_mean(double shift, const std::vector<double>& m) {
  const double d = m[0];
  return {shift + d, std::isnan(m[1]) ? kNaN : std::max(0.0, m[1] - d * d), m[2] - 3 * d * m[1] + 2 * d * d * d,
          m[3] - 4 * d * m[2] + 6 * d * d * m[1] - 3 * d * d * d * d};
}

std::array<double, 4> measured_moments(const Law& law, const Measure& measure) {
  const double shift = law.quantile(measure.place().center);
  return about_mean(shift, expect(law, measure, 4, [shift](double x, double* values) { powers(x - shift, values); }));
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

double expectation(const Law& law, const std::function<double(double)>& of_x) {
  return expect(law, Measure(nullptr), 1, [&](double x, double* values) { *values = of_x(x); })[0];
}

std::vector<double> expectations(const Law& law, std::size_t count, const ManyOfX& of_x) {
  return expect(law, Measure(nullptr), count, of_x);
}

std::array<double, 4> central_moments(const Law& law) { return measured_moments(law, Measure(nullptr)); }

analysis::Moments moments_of(const Law& law) { return of_central(central_moments(law)); }

analysis::Moments moments_of_order(const Law& x, const OrderMap& map) {
  return of_central(measured_moments(x, Measure(map.n() == 1 ? nullptr : &map)));
}

namespace {

// Log odds of law i where other laws' pieces end, or their weight begins, is and ends.
std::vector<double> breaks_of(const std::vector<const Law*>& laws, std::size_t i, double from, double to) {
  constexpr std::size_t kMostPieceEnds = 65536;
  std::vector<double> breaks;
  std::size_t ends = 0;
  const std::size_t few = laws.size() <= 4 ? 5 : 1;
  std::vector<double> hints;
  const double marks[] = {0, -4, 4, -30, 30};
  for (std::size_t j = 0; j < laws.size(); ++j) {
    if (j == i) continue;
    for (std::size_t k = 0; k < few; ++k) hints.push_back(laws[i]->log_odds(laws[j]->quantile(marks[k])));
    const std::vector<Piece> pieces = laws[j]->pieces();
    ends += pieces.size();
    if (ends > kMostPieceEnds) continue;
    for (const Piece& piece : pieces) {
      if (std::isinf(piece.end)) continue;
      breaks.push_back(laws[i]->log_odds(laws[j]->quantile(piece.end)));
      // The quantile function may jump there.
      breaks.push_back(laws[i]->log_odds(laws[j]->quantile(std::nextafter(piece.end, kInfinity))));
    }
    // The support's ends.
    breaks.push_back(laws[i]->log_odds(laws[j]->quantile(-kInfinity)));
    breaks.push_back(laws[i]->log_odds(laws[j]->quantile(kInfinity)));
  }
  // Of the hints, which only save halvings, a few: the cost stays that of k^2.
  std::sort(hints.begin(), hints.end());
  const std::size_t stride = 1 + hints.size() / (laws.size() <= 16 ? 16 : 2);
  for (std::size_t k = 0; k < hints.size(); k += stride) breaks.push_back(hints[k]);
  std::erase_if(breaks, [&](double z) { return !(z > from && z < to); });
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  return breaks;
}

// log of the product of what the others have on their side of x.
double log_others(const std::vector<const Law*>& laws, std::size_t i, double x, bool last) {
  double log_product = 0;
  for (std::size_t j = 0; j < laws.size() && log_product > -800; ++j) {
    if (j == i) continue;
    // Of equal values the first law's counts as the extreme one.
    const bool strictly = j < i;
    if (last) {
      log_product += log_lower(strictly ? laws[j]->log_odds_below(x) : laws[j]->log_odds(x));
    } else {
      log_product += log_upper(strictly ? laws[j]->log_odds(x) : laws[j]->log_odds_below(x));
    }
  }
  return log_product;
}

}  // namespace

analysis::Moments extremes_of(const std::vector<const Law*>& laws, bool last) {
  double shift = laws[0]->quantile(0);
  for (const Law* law : laws) shift = last ? std::max(shift, law->quantile(0)) : std::min(shift, law->quantile(0));
  // The widest first: beside it the rounding of narrow ones is nothing.
  std::vector<std::pair<double, std::size_t>> by_width;
  for (std::size_t i = 0; i < laws.size(); ++i) by_width.emplace_back(laws[i]->quantile(2) - laws[i]->quantile(-2), i);
  std::stable_sort(by_width.begin(), by_width.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  Integral total(4);
  for (const auto& [width, index] : by_width) {
    const std::size_t i = index;  // structured bindings are not to be captured
    const Law& law = *laws[i];
    const Integrand integrand = [&](double z, double* values) {
      const double x = law.quantile(z);
      const double density = weight(z);
      const double times = density > 0 ? density * std::exp(log_others(laws, i, x, last)) : 0;
      powers(x - shift, values);
      for (std::size_t k = 0; k < 4; ++k) values[k] = times > 0 ? values[k] * times : 0;
      return density > kNoWeight;
    };
    double from = -kInfinity;
    for (const Piece& piece : law.pieces()) {
      if (!(piece.end > from)) continue;
      if (piece.atom) {
        const double x = law.quantile(inside(from, piece.end));
        const double mass = mass_between(from, piece.end) * std::exp(log_others(laws, i, x, last));
        if (mass > 0) {
          double values[4];
          powers(x - shift, values);
          total.add(values, mass);
        }
        from = piece.end;
        continue;
      }
      for (const double end : breaks_of(laws, i, from, piece.end)) {
        add_integral(integrand, from, end, Place{}, total);
        from = end;
      }
      add_integral(integrand, from, piece.end, Place{}, total);
      from = piece.end;
    }
  }
  return of_central(about_mean(shift, total.sum));
}

}  // namespace foretask::distribution
