// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/table.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <utility>

#include "distribution/family/log_odds.hpp"

namespace foretask::distribution {
namespace {

constexpr double kFarthest = 708;  // stands for an infinite z in the loops over arrays

// dx/dz at knot k, of the polynomial through up to five knots around it (Berrut and Trefethen 2004, eq. 9.4). Of x over
// z, which is smooth at even the heaviest tail.
double polynomial_slope(const std::vector<Knot>& knots, std::size_t first, std::size_t last, std::size_t k) {
  const auto z = [&](std::size_t i) { return i == first ? knots[i].to : knots[i].below; };
  std::size_t from = k > first + 2 ? k - 2 : first;
  const std::size_t to = std::min(last, from + 4);
  from = to > first + 4 ? to - 4 : first;
  double slope = 0;
  double of_k = 1;
  for (std::size_t m = from; m <= to; ++m)
    if (m != k) of_k *= z(k) - z(m);
  for (std::size_t j = from; j <= to; ++j) {
    if (j == k) continue;
    double of_j = 1;
    for (std::size_t m = from; m <= to; ++m)
      if (m != j) of_j *= z(j) - z(m);
    slope += of_k / of_j * (knots[j].x - knots[k].x) / (z(k) - z(j));
  }
  return slope;
}

// How fast x grows in z beyond the first of two points, from the slopes dx/dz at both.
double growth(double outer_slope, double inner_slope, double apart) {
  return outer_slope > 0 && inner_slope > 0 ? std::max(0.0, std::log(outer_slope / inner_slope) / apart) : 0;
}

double grown(double slope, double rate, double out) { return slope * (rate > 0 ? std::expm1(rate * out) / rate : out); }
double way_to(double slope, double rate, double distance) {
  const double out = distance / slope;
  return rate > 0 ? std::log1p(rate * out) / rate : out;
}

// Integrals of r t^(r-1) times the probability beyond centre + sign t, r = 1 to 4, over t > 0.
class TailMoments {
 public:
  TailMoments(const OddsOfX& odds, double centre, int sign) : odds_(odds), centre_(centre), sign_(sign) {}

  Powers over(const std::vector<double>& distances, double end) {
    double from = 0;
    for (const double to : distances) {
      if (!(to > from)) continue;
      (void)add(from, to);
      from = to;
    }
    // Beyond the table, until nothing more comes; what goes on as far as there are doubles does not exist.
    constexpr double kFarthest = 700;  // log odds
    for (bool more = from > 0; more && from < end;) {
      const double z = sign_ * odds_(centre_ + sign_ * from, false);
      if (std::isinf(z)) break;  // nothing lies further out
      if (z > kFarthest) {
        for (std::size_t r = 0; r < 4; ++r)
          if (grows_[r]) sum_[r] = NAN;
        break;
      }
      const double to = std::min(end, 1.25 * from);
      more = add(from, to);
      from = to;
    }
    return sum_;
  }

 private:
  bool add(double from, double to) {
    using Rule = boost::math::quadrature::gauss<double, 7>;
    const double half = (to - from) / 2;
    Powers part{};
    for (std::size_t i = 0; i < 7; ++i) {
      const double at = i == 0 ? 0 : i % 2 == 1 ? Rule::abscissa()[(i + 1) / 2] : -Rule::abscissa()[i / 2];
      const double t = from + half * (1 + at);
      const double z = odds_(centre_ + sign_ * t, false);
      double value = Rule::weights()[(i + 1) / 2] * half * (sign_ > 0 ? upper(z) : lower(z));
      for (std::size_t r = 0; r < 4; ++r, value *= t) part[r] += static_cast<double>(r + 1) * value;
    }
    for (std::size_t r = 0; r < 4; ++r) {
      sum_[r] += part[r];
      if (!std::isfinite(sum_[r])) sum_[r] = NAN;
      grows_[r] = part[r] > 1e-17 * sum_[r];
    }
    return grows_ != std::array<bool, 4>{};
  }

  const OddsOfX& odds_;
  double centre_;
  int sign_;
  Powers sum_{};
  std::array<bool, 4> grows_{};
};

}  // namespace

Table::Table(std::vector<Knot> knots, double low, double high)
    : knots_(std::move(knots)), cubics_(knots_.size()), low_(low), high_(high) {
  double before = -kInfinity;
  for (Knot& knot : knots_) {
    knot.below = std::max(knot.below, before);
    knot.to = before = std::max(knot.to, knot.below);
  }
  const auto rises = [this](std::size_t k) { return knots_[k + 1].below > knots_[k].to; };
  for (std::size_t k = 0; k + 1 < knots_.size();) {
    std::size_t last = k + 1;
    while (rises(last - 1) && last + 1 < knots_.size() && rises(last) && !knots_[last].corner &&
           !(knots_[last].to > knots_[last].below))
      ++last;
    if (rises(k)) set_cubics(k, last);
    k = last;
  }
}

void Table::set_cubics(std::size_t first, std::size_t last) {
  std::array<double, 3> outer{};  // dx/dz at the outermost knots
  double left = 0;
  for (std::size_t k = first; k <= last; ++k) {
    const auto secant = [this](std::size_t i) {
      return (knots_[i + 1].below - knots_[i].to) / (knots_[i + 1].x - knots_[i].x);
    };
    const double before = k > first ? secant(k - 1) : kInfinity;
    const double after = k < last ? secant(k) : kInfinity;
    double slope = last - first < 2 ? 1 / std::min(before, after) : polynomial_slope(knots_, first, last, k);
    if (!(slope > 0)) slope = 0;
    if (k == 0) lower_slope_ = slope;
    if (k == 1 && first == 0) lower_rate_ = growth(lower_slope_, slope, knots_[1].below - knots_[0].to);
    if (k + 1 == knots_.size()) {
      upper_slope_ = slope;
      upper_rate_ = growth(slope, outer[2], knots_[k].below - knots_[k - 1].to);
    }
    outer[2] = slope;
    const double right = 1 / std::max(slope, 1e-3 / std::min(before, after));
    if (k > first) set_cubic(k - 1, left, right);
    left = right;
  }
}

// With these slopes dz/dx at its ends.
void Table::set_cubic(std::size_t k, double left, double right) {
  const double from = knots_[k].x;
  const double to = knots_[k + 1].x;
  double h = to - from;
  Cubic& on = cubics_[k];
  double change = std::fabs(std::log(right / left));
  for (const double end : {low_, high_}) {
    if (std::isinf(end)) continue;
    const double ratio = (to - end) / (from - end);
    // Over the logarithm of the distance the slope changes less.
    if (!(ratio > 0) || !std::isfinite(ratio) || !(std::fabs(std::log(ratio * right / left)) < change)) continue;
    change = std::fabs(std::log(ratio * right / left));
    on.end = end;
    h = std::fabs(std::log(ratio));
  }
  if (!std::isinf(on.end)) {
    on.start = std::log(std::fabs(from - on.end));
    left *= std::fabs(from - on.end);
    right *= std::fabs(to - on.end);
  }
  // At most three times the secant, so that the cubic rises (Fritsch and Carlson 1980).
  const double secant = (knots_[k + 1].below - knots_[k].to) / h;
  left = std::min(left, 3 * secant);
  right = std::min(right, 3 * secant);
  on.c1 = left;
  on.c2 = (3 * secant - 2 * left - right) / h;
  on.c3 = (left + right - 2 * secant) / (h * h);
}

double Table::way(std::size_t k, double x) const noexcept {
  const Cubic& on = cubics_[k];
  return std::isinf(on.end) ? x - knots_[k].x : std::fabs(std::log(std::fabs(x - on.end)) - on.start);
}

double Table::below_first(double x) const noexcept {
  const Knot& first = knots_.front();
  if (!(x > low_) || !(lower_slope_ > 0) || std::isinf(first.below)) return -kInfinity;
  if (std::isfinite(low_))  // F goes as a power of the distance from the end
    return first.below + std::log((x - low_) / (first.x - low_)) * (first.x - low_) / lower_slope_;
  return first.below - way_to(lower_slope_, lower_rate_, first.x - x);
}

double Table::above_last(double x) const noexcept {
  const Knot& last = knots_.back();
  if (!(x < high_) || !(upper_slope_ > 0) || std::isinf(last.to)) return kInfinity;
  if (std::isfinite(high_)) return last.to - std::log((high_ - x) / (high_ - last.x)) * (high_ - last.x) / upper_slope_;
  return last.to + way_to(upper_slope_, upper_rate_, x - last.x);
}

double Table::inside(std::size_t k, double x) const noexcept {
  const Cubic& on = cubics_[k];
  const double t = way(k, x);
  return knots_[k].to + t * (on.c1 + t * (on.c2 + t * on.c3));
}

double Table::slope(std::size_t k, double x) const noexcept {
  const Cubic& on = cubics_[k];
  const double t = way(k, x);
  const double by_way = on.c1 + t * (2 * on.c2 + t * 3 * on.c3);
  return std::isinf(on.end) ? by_way : by_way / std::fabs(x - on.end);
}

double Table::quantile(double z) const {
  const auto at = std::lower_bound(knots_.begin(), knots_.end(), z, [](const Knot& k, double v) { return k.to < v; });
  if (at == knots_.end()) {
    const Knot& last = knots_.back();
    if (!(upper_slope_ > 0)) return last.x;
    if (std::isinf(z)) return high_;
    if (std::isinf(high_)) return last.x + grown(upper_slope_, upper_rate_, z - last.to);
    return high_ - (high_ - last.x) * std::exp(-(z - last.to) * upper_slope_ / (high_ - last.x));
  }
  if (z > at->below) return at->x;
  if (at == knots_.begin()) {
    if (std::isinf(z)) return lower_slope_ > 0 ? low_ : at->x;
    if (z == at->below || !(lower_slope_ > 0)) return at->x;
    if (std::isinf(low_)) return at->x - grown(lower_slope_, lower_rate_, at->below - z);
    return low_ + (at->x - low_) * std::exp((z - at->below) * lower_slope_ / (at->x - low_));
  }
  // Newton's method within the interval, halving where it leaves it.
  const auto k = static_cast<std::size_t>(at - knots_.begin()) - 1;
  double from = knots_[k].x;
  double to = at->x;
  double x = from + (to - from) * (z - knots_[k].to) / (at->below - knots_[k].to);
  for (int i = 0; i < 100 && to > from; ++i) {
    const double off = inside(k, x) - z;
    (off < 0 ? from : to) = x;
    double next = x - off / slope(k, x);
    if (!(next >= from && next <= to)) next = from + (to - from) / 2;
    if (std::fabs(next - x) <= 1e-15 * std::fabs(x)) return next;
    x = next;
  }
  return x;
}

double Table::odds(double x, bool below) const {
  if (!(x >= knots_.front().x)) return below_first(x);
  const auto at = std::upper_bound(knots_.begin(), knots_.end(), x, [](double v, const Knot& k) { return v < k.x; });
  const Knot& knot = *(at - 1);
  if (below && knot.x == x) return knot.below;
  if (at == knots_.end()) return x > knot.x ? above_last(x) : knot.to;
  return inside(static_cast<std::size_t>(at - knots_.begin()) - 1, x);
}

std::vector<Piece> Table::pieces() const {
  std::vector<Piece> pieces;
  double end = -kInfinity;
  const auto close = [&](double z, bool atom) {
    if (z > end) pieces.push_back({end = z, atom});
  };
  for (std::size_t k = 0; k < knots_.size(); ++k) {
    const Knot& knot = knots_[k];
    const bool atom = knot.to > knot.below;
    const bool gap = k + 1 < knots_.size() && !(knots_[k + 1].below > knot.to);
    const bool last = k + 1 == knots_.size() && !(upper_slope_ > 0);
    if (k == 0 && !(lower_slope_ > 0) && !atom)
      close(knot.to, true);
    else if (k > 0 && (atom || gap || knot.corner))
      close(knot.below, false);
    if (atom || last) close(last ? kInfinity : knot.to, true);
  }
  close(kInfinity, false);
  return pieces;
}

void Table::log_odds_falling(const double* x, double* z, std::size_t count) const noexcept {
  const double first = knots_.front().x;
  const double last = knots_.back().x;
  std::size_t k = knots_.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = x[i];
    double odds = 0;
    if (at < first) {
      odds = below_first(at);
    } else if (at > last) {
      odds = above_last(at);
    } else {
      while (knots_[k].x > at) --k;
      odds = inside(k, at);
    }
    z[i] = std::clamp(odds, -kFarthest, kFarthest);
  }
}

void Table::add_nodes(std::size_t k, double from, double to, std::vector<Node>& nodes) const {
  constexpr std::array<double, kNodes> kAt{0.1127016653792583, 0.5, 0.8872983346207417};  // Gauss and Legendre's
  constexpr std::array<double, kNodes> kShare{5.0 / 18, 8.0 / 18, 5.0 / 18};
  constexpr double kWide = 1.5;  // of log odds
  const double end = cubics_[k].end;
  const bool plain = std::isinf(end);
  const auto at = [&](double share) {
    return plain ? from + (to - from) * share : end + (from - end) * std::pow((to - end) / (from - end), share);
  };
  const double z_to = to == knots_[k + 1].x ? knots_[k + 1].below : inside(k, to);
  const double z_from = inside(k, from);
  if (z_to - z_from > kWide) {
    const double middle = at(0.5);
    if (middle > from && middle < to) {
      add_nodes(k, from, middle, nodes);
      add_nodes(k, middle, to, nodes);
      return;
    }
  }
  std::array<double, kNodes> x{};
  std::array<double, kNodes> share{};
  double sum = 0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    x[i] = at(kAt[i]);
    sum += share[i] = kShare[i] * weight(inside(k, x[i])) * slope(k, x[i]) * (plain ? 1 : std::fabs(x[i] - end));
  }
  const double mass = mass_between(z_from, z_to);
  for (std::size_t i = 0; i < kNodes; ++i) nodes.push_back({x[i], mass * (sum > 0 ? share[i] / sum : kShare[i])});
}

Cumulants cumulants_by_odds(const OddsOfX& odds, const Table& table) {
  const double centre = table.quantile(0);
  std::vector<double> above;
  std::vector<double> below;
  for (const Knot& knot : table.knots()) {
    if (knot.x > centre)
      above.push_back(knot.x - centre);
    else
      below.push_back(centre - knot.x);
  }
  std::reverse(below.begin(), below.end());
  const auto up = TailMoments(odds, centre, 1).over(above, table.high() - centre);
  const auto down = TailMoments(odds, centre, -1).over(below, centre - table.low());
  return cumulants_about(centre, {up[0] - down[0], up[1] + down[1], up[2] - down[2], up[3] + down[3]});
}

Cumulants cumulants_of(const Table& table) {
  return cumulants_by_odds([&table](double x, bool) { return table.log_odds(x); }, table);
}

}  // namespace foretask::distribution
