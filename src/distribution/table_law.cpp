// SPDX-License-Identifier: Apache-2.0
#include "distribution/table_law.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "distribution/array_math.hpp"
#include "distribution/log_odds.hpp"

namespace foretask::distribution {

namespace {

constexpr double kFarthest = 708;  // stands for an infinite z in the loops over arrays
constexpr double kLeastRate = 1e-6;

// Slope at knot k of the polynomial through up to five knots around it (Berrut and Trefethen 2004, eq. 9.4).
double polynomial_slope(const std::vector<Knot>& knots, std::size_t first, std::size_t last, std::size_t k) {
  const std::size_t from =
      std::min(k - std::min(k - first, std::size_t{2}), last - std::min(last - first, std::size_t{4}));
  const std::size_t to = std::min(last, from + 4);
  double slope = 0;
  double of_k = 1;
  for (std::size_t m = from; m <= to; ++m)
    if (m != k) of_k *= knots[k].z - knots[m].z;
  for (std::size_t j = from; j <= to; ++j) {
    if (j == k) continue;
    double of_j = 1;
    for (std::size_t m = from; m <= to; ++m)
      if (m != j) of_j *= knots[j].z - knots[m].z;
    slope += of_k / of_j * (knots[j].x - knots[k].x) / (knots[k].z - knots[j].z);
  }
  return slope;
}

// From `x` to `end`, exp(-way) of the distance left; exact near both, the end may be 1e40 away.
double closing_in(double x, double end, double way) noexcept {
  return way < 0.5 ? x - (end - x) * std::expm1(-way) : end - (end - x) * std::exp(-way);
}

// What is not a number, or falls, is left out; of nothing a knot in the middle is made.
std::vector<Knot> in_order(std::vector<Knot> knots, double low, double high) {
  std::size_t kept = 0;
  for (const Knot& knot : knots) {
    if (!std::isfinite(knot.z) || !std::isfinite(knot.x)) continue;
    if (kept > 0 && (knot.z < knots[kept - 1].z || knot.x < knots[kept - 1].x)) continue;
    knots[kept++] = knot;
  }
  knots.resize(kept);
  if (knots.empty()) {
    const double end = std::isfinite(low) ? low : std::isfinite(high) ? high : 0;
    knots.push_back({0, std::isfinite(low) && std::isfinite(high) ? low + (high - low) / 2 : end, true});
  }
  return knots;
}

}  // namespace

TableLaw::TableLaw(std::vector<Knot> knots, double low, double high)
    : knots_(in_order(std::move(knots), low, high)),
      low_(low <= knots_.front().x ? low : knots_.front().x),
      high_(high >= knots_.back().x ? high : knots_.back().x) {
  const std::size_t count = knots_.size();
  intervals_.resize(count);
  for (std::size_t k = 0; k < count; ++k) intervals_[k] = {knots_[k].z, knots_[k].x, 0, 0, 0, 0, 0, 0};
  // Stretches without a flat, a step or a corner.
  for (std::size_t k = 0; k + 1 < count;) {
    if (!(knots_[k + 1].z > knots_[k].z)) {
      ++k;
      continue;
    }
    if (!(knots_[k + 1].x > knots_[k].x)) {
      if (mass_between(knots_[k].z, knots_[k + 1].z) > kSomeMass) largest_density_ = kInfinity;
      ++k;
      continue;
    }
    std::size_t last = k + 1;
    while (last + 1 < count && !knots_[last].corner && knots_[last + 1].z > knots_[last].z &&
           knots_[last + 1].x > knots_[last].x)
      ++last;
    set_slopes(k, last);
    k = last;
  }
  const double first_x = knots_.front().x;
  const double last_x = knots_.back().x;
  if (count < 2) return;
  if (std::isfinite(low_)) {
    if (first_x > low_ && lower_slope_ > 0) lower_power_ = lower_rate_ = lower_slope_ / (first_x - low_);
  } else if (lower_slope_ > 0 && intervals_[1].q1 > 0) {
    lower_rate_ = std::max(0.0, std::log(lower_slope_ / intervals_[1].q1) / (knots_[1].z - knots_[0].z));
  }
  if (std::isfinite(high_)) {
    if (last_x < high_ && upper_slope_ > 0) upper_power_ = upper_rate_ = upper_slope_ / (high_ - last_x);
  } else if (upper_slope_ > 0 && intervals_[count - 2].q1 > 0) {
    upper_rate_ =
        std::max(0.0, std::log(upper_slope_ / intervals_[count - 2].q1) / (knots_[count - 1].z - knots_[count - 2].z));
  }
}

void TableLaw::set_slopes(std::size_t first, std::size_t last) {
  double dx_left = 0;
  double dz_left = 0;
  for (std::size_t k = first; k <= last; ++k) {
    const double below = k > first ? (knots_[k].x - knots_[k - 1].x) / (knots_[k].z - knots_[k - 1].z) : kInfinity;
    const double above = k < last ? (knots_[k + 1].x - knots_[k].x) / (knots_[k + 1].z - knots_[k].z) : kInfinity;
    const double least = std::min(below, above);
    const double most = std::max(k > first ? below : above, k < last ? above : below);
    double slope = last - first < 2 ? least : polynomial_slope(knots_, first, last, k);
    if (!(slope > 0)) slope = 0;
    // At most three times the secants, so that both cubics rise (Fritsch and Carlson 1980).
    const double dx = std::min(slope, 3 * least);
    const double dz = std::min(slope > 0 ? 1 / slope : kInfinity, 3 / most);
    if (k == 0) lower_slope_ = dx;
    if (k + 1 == knots_.size()) upper_slope_ = dx;
    if (k > first) {
      Interval& on = intervals_[k - 1];
      const double hz = knots_[k].z - knots_[k - 1].z;
      const double hx = knots_[k].x - knots_[k - 1].x;
      const double secant = hx / hz;
      on.q1 = dx_left;
      on.q2 = (3 * secant - 2 * dx_left - dx) / hz;
      on.q3 = (dx_left + dx - 2 * secant) / (hz * hz);
      const double back = hz / hx;
      on.p1 = dz_left;
      on.p2 = (3 * back - 2 * dz_left - dz) / hx;
      on.p3 = (dz_left + dz - 2 * back) / (hx * hx);
      const double middle = (knots_[k].z + knots_[k - 1].z) / 2;
      largest_density_ = std::max(largest_density_, weight(middle) / secant);
    }
    dx_left = dx;
    dz_left = dz;
  }
}

double TableLaw::below_first(double z) const noexcept {
  const double x = knots_.front().x;
  const double out = knots_.front().z - z;
  if (std::isfinite(low_)) return lower_rate_ > 0 ? closing_in(x, low_, lower_rate_ * out) : low_;
  if (lower_slope_ <= 0) return x;
  return x - lower_slope_ * (lower_rate_ > kLeastRate ? std::expm1(lower_rate_ * out) / lower_rate_ : out);
}

double TableLaw::above_last(double z) const noexcept {
  const double x = knots_.back().x;
  const double out = z - knots_.back().z;
  if (std::isfinite(high_)) return upper_rate_ > 0 ? closing_in(x, high_, upper_rate_ * out) : high_;
  if (upper_slope_ <= 0) return x;
  return x + upper_slope_ * (upper_rate_ > kLeastRate ? std::expm1(upper_rate_ * out) / upper_rate_ : out);
}

double TableLaw::z_below_first(double x) const noexcept {
  const Knot& first = knots_.front();
  if (x < low_) return -kInfinity;
  if (std::isfinite(low_)) {
    if (!(lower_rate_ > 0) || !(x > low_)) return -kInfinity;
    return first.z + std::log((x - low_) / (first.x - low_)) / lower_rate_;
  }
  if (lower_slope_ <= 0) return -kInfinity;
  const double out = (first.x - x) / lower_slope_;
  return first.z - (lower_rate_ > kLeastRate ? std::log1p(lower_rate_ * out) / lower_rate_ : out);
}

double TableLaw::z_above_last(double x) const noexcept {
  const Knot& last = knots_.back();
  if (x >= high_) return kInfinity;
  if (std::isfinite(high_)) {
    if (!(upper_rate_ > 0)) return last.z;
    return last.z - std::log((high_ - x) / (high_ - last.x)) / upper_rate_;
  }
  if (upper_slope_ <= 0) return kInfinity;
  const double out = (x - last.x) / upper_slope_;
  return last.z + (upper_rate_ > kLeastRate ? std::log1p(upper_rate_ * out) / upper_rate_ : out);
}

double TableLaw::quantile(double z) const {
  if (!(z > knots_.front().z)) return z < knots_.front().z ? below_first(z) : knots_.front().x;
  if (z > knots_.back().z) return above_last(z);
  const auto at = std::lower_bound(knots_.begin(), knots_.end(), z, [](const Knot& k, double v) { return k.z < v; });
  const Interval& on = intervals_[static_cast<std::size_t>(at - knots_.begin()) - 1];
  const double s = z - on.z;
  return std::min(at->x, on.x + s * (on.q1 + s * (on.q2 + s * on.q3)));
}

double TableLaw::log_odds(double x) const {
  if (!(x >= knots_.front().x)) return z_below_first(x);
  if (x >= knots_.back().x && (x > knots_.back().x || x >= high_)) return z_above_last(x);
  const auto at = std::upper_bound(knots_.begin(), knots_.end(), x, [](double v, const Knot& k) { return v < k.x; });
  const Interval& on = intervals_[static_cast<std::size_t>(at - knots_.begin()) - 1];
  const double t = x - on.x;
  return on.z + t * (on.p1 + t * (on.p2 + t * on.p3));
}

double TableLaw::log_odds_below(double x) const {
  const auto at = std::lower_bound(knots_.begin(), knots_.end(), x, [](const Knot& k, double v) { return k.x < v; });
  if (at == knots_.begin() && at->x == x && x <= low_) return -kInfinity;  // an atom at the lower end
  if (at != knots_.end() && at->x == x) return at->z;
  return log_odds(x);
}

std::vector<Piece> TableLaw::pieces() const {
  std::vector<Piece> pieces;
  const auto close = [&](double end, bool atom) {
    if (!pieces.empty() && !(end > pieces.back().end)) return;
    pieces.push_back({end, atom});
  };
  // An atom at an end of the support reaches to infinity.
  const bool atom_first = lower_slope_ <= 0;
  const bool atom_last = upper_slope_ <= 0;
  for (std::size_t k = 0; k < knots_.size(); ++k) {
    const bool flat_before = k == 0 ? atom_first : knots_[k].z > knots_[k - 1].z && !(knots_[k].x > knots_[k - 1].x);
    const bool flat_after =
        k + 1 == knots_.size() ? atom_last : knots_[k + 1].z > knots_[k].z && !(knots_[k + 1].x > knots_[k].x);
    const bool step = k + 1 < knots_.size() && !(knots_[k + 1].z > knots_[k].z);
    if (flat_before != flat_after || step || (knots_[k].corner && !flat_before)) close(knots_[k].z, flat_before);
  }
  if (pieces.empty() || pieces.back().end < kInfinity) pieces.push_back({kInfinity, atom_last});
  return pieces;
}

void TableLaw::quantiles(const double* z, double* x, std::size_t count) const noexcept {
  const double first = knots_.front().z;
  const double last = knots_.back().z;
  const std::size_t intervals = knots_.size();
  std::size_t k = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = z[i];
    if (at < first) {
      x[i] = below_first(at);
    } else if (at >= last) {
      x[i] = above_last(at);
    } else {
      while (k + 2 < intervals && intervals_[k + 1].z <= at) ++k;
      const Interval& on = intervals_[k];
      const double s = at - on.z;
      x[i] = on.x + s * (on.q1 + s * (on.q2 + s * on.q3));
    }
  }
}

void TableLaw::log_odds_falling(const double* x, double* z, std::size_t count) const noexcept {
  const double first = knots_.front().x;
  const double last = knots_.back().x;
  std::size_t k = knots_.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = x[i];
    double odds = 0;
    if (at < first) {
      odds = z_below_first(at);
    } else if (at > last || at >= high_) {
      odds = z_above_last(at);
    } else {
      while (intervals_[k].x > at) --k;
      const Interval& on = intervals_[k];
      const double t = at - on.x;
      odds = on.z + t * (on.p1 + t * (on.p2 + t * on.p3));
    }
    z[i] = std::clamp(odds, -kFarthest, kFarthest);
  }
}

std::array<double, 4> TableLaw::central_moments() const {
  // Gauss and Legendre's four points on each interval, the tails in steps.
  constexpr std::array<double, 4> kPoint{0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                                         0.9305681557970263};
  constexpr std::array<double, 4> kShare{0.17392742256872692, 0.32607257743127307, 0.32607257743127307,
                                         0.17392742256872692};
  constexpr double kEnd = 57;
  constexpr double kTailStep = 1.5;
  std::vector<double> ends;
  ends.reserve(knots_.size() + 64);
  for (double z = -kEnd; z < knots_.front().z; z += kTailStep) ends.push_back(z);
  for (const Knot& knot : knots_)
    if (ends.empty() || knot.z > ends.back()) ends.push_back(knot.z);
  while (ends.back() < kEnd) ends.push_back(std::min(kEnd, ends.back() + kTailStep));
  std::vector<double> z;
  std::vector<double> mass;
  z.reserve(4 * ends.size());
  mass.reserve(4 * ends.size());
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    const double width = ends[k + 1] - ends[k];
    for (std::size_t p = 0; p < kPoint.size(); ++p) {
      z.push_back(ends[k] + width * kPoint[p]);
      mass.push_back(width * kShare[p]);
    }
  }
  std::vector<double> x(z.size());
  quantiles(z.data(), x.data(), z.size());
  double total = 0;
  double mean = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double odds = quick_exp(-std::fabs(z[i]));
    mass[i] *= odds / ((1 + odds) * (1 + odds));
    total += mass[i];
    mean += mass[i] * x[i];
  }
  std::array<double, 4> moments{mean / total, 0, 0, 0};
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double off = x[i] - moments[0];
    moments[1] += mass[i] / total * off * off;
    moments[2] += mass[i] / total * off * off * off;
    moments[3] += mass[i] / total * off * off * off * off;
  }
  return moments;
}

}  // namespace foretask::distribution
