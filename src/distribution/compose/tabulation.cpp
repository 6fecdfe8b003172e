// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "distribution/family/log_odds.hpp"

namespace foretask::distribution {
namespace {

constexpr double kBody = 8;              // |z| within which values count, beyond log odds
constexpr double kNothing = 1e-9;        // less z between two values is a gap
constexpr double kGain = 8;              // what halving an interval is trusted to gain: 16 where all is smooth
constexpr double kSure = 0.1;            // of the error that may be: no halving is needed
constexpr double kSame = 1e-13;          // nearer values are one
constexpr std::size_t kMostPieces = 64;  // of a distribution whose every piece is kept
constexpr std::size_t kMostCorners = 256;

double after(double z) { return std::isinf(z) ? z : z + 1e-11 * std::max(1.0, std::fabs(z)); }

class Tabulation {
 public:
  Tabulation(const OddsOfX& odds, const Outline& outline, const Precision& precision)
      : odds_(odds), outline_(outline), precision_(precision) {}

  TablePtr run() {
    for (const double x : outline_.corners) add(x, true);
    for (const double x : outline_.values) add(x, false);
    sort();
    errors_.assign(knots_.size(), kInfinity);
    for (bool grown = true; grown && knots_.size() < precision_.most_knots;) {
      const std::size_t before = knots_.size();
      halve();
      grown = knots_.size() > before;
    }
    return std::make_shared<const Table>(trimmed(), outline_.low, outline_.high);
  }

 private:
  void add(double x, bool corner) {
    if (std::isfinite(x)) knots_.push_back(knot_at(x, corner));
  }
  [[nodiscard]] Knot knot_at(double x, bool corner) const {
    const double to = odds_(x, false);
    const double below = corner ? odds_(x, true) : to;
    return {x, below, to, corner};
  }

  void sort() {
    std::sort(knots_.begin(), knots_.end(),
              [](const Knot& a, const Knot& b) { return a.x != b.x ? a.x < b.x : a.corner > b.corner; });
    knots_.erase(std::unique(knots_.begin(), knots_.end(), [](const Knot& a, const Knot& b) { return a.x == b.x; }),
                 knots_.end());
  }

  // About half way between two values, as an error that is odd about the middle would not be seen there; on a
  // logarithmic scale where they are far from each other beside their distances from an end, or from the centre.
  [[nodiscard]] double between(double from, double to) const {
    constexpr double kShare = 0.42;
    for (const double anchor : {outline_.low, outline_.high, centre_}) {
      const double a = std::fabs(from - anchor);
      const double b = std::fabs(to - anchor);
      constexpr double kFar = 4;
      const bool one_side = (from < anchor) == (to < anchor);
      if (std::isfinite(anchor) && one_side && std::min(a, b) > 0 && std::max(a, b) > kFar * std::min(a, b))
        return anchor + std::copysign(a * std::pow(b / a, kShare), from - anchor);
    }
    return from + (to - from) * kShare;
  }

  [[nodiscard]] double value_near(double z) const {
    for (const Knot& knot : knots_)
      if (knot.to >= z) return knot.x;
    return knots_.back().x;
  }

  [[nodiscard]] bool is_open(std::size_t k) const {
    const Knot& from = knots_[k];
    const Knot& to = knots_[k + 1];
    if (!(errors_[k] > 1) || !(to.below - from.to > kNothing)) return false;
    if (std::min(from.to, to.below) > precision_.end || std::max(from.to, to.below) < -precision_.end) return false;
    return to.x - from.x > kSame * std::max({std::fabs(from.x), std::fabs(to.x), spread_});
  }

  // One step for every interval that is not good enough.
  void halve() {
    centre_ = value_near(0);
    spread_ = value_near(2) - value_near(-2);
    const Table table(knots_, outline_.low, outline_.high);
    std::vector<Knot> knots;
    std::vector<double> errors;
    std::size_t inserted = 0;
    for (std::size_t k = 0; k < knots_.size(); ++k) {
      knots.push_back(knots_[k]);
      errors.push_back(errors_[k]);
      if (k + 1 == knots_.size() || !is_open(k) || knots_.size() + inserted >= precision_.most_knots) continue;
      const Knot& from = knots_[k];
      const Knot& to = knots_[k + 1];
      const double x = between(from.x, to.x);
      if (!(x > from.x && x < to.x)) continue;
      const Knot middle = knot_at(x, false);
      const double error = error_of(table.inside(k, x), middle.to, from, to);
      errors.back() = error / kGain;
      if (error <= kSure) continue;
      ++inserted;
      knots.push_back(middle);
      errors.push_back(errors.back());
    }
    knots_ = std::move(knots);
    errors_ = std::move(errors);
  }

  [[nodiscard]] double error_of(double expected, double z, const Knot& from, const Knot& to) const {
    const double gain = to.below - from.to;
    if (!std::isfinite(gain)) return kInfinity;
    const double off = std::fabs(expected - z);
    const double far = off / precision_.of_odds;
    if (std::fabs(z) > kBody && std::min(std::fabs(from.to), std::fabs(to.below)) > kBody) return far;
    return std::max(far, off * (to.x - from.x) / gain / (precision_.of_spread * spread_));
  }

  // Without what lies beyond the table's ends, but for the first knot there.
  [[nodiscard]] std::vector<Knot> trimmed() const {
    std::vector<Knot> kept;
    for (std::size_t k = 0; k < knots_.size(); ++k) {
      const Knot& knot = knots_[k];
      const bool below = k + 1 < knots_.size() && knots_[k + 1].below < -precision_.end;
      const bool above = k > 0 && knots_[k - 1].to > precision_.end;
      const bool beyond = knot.below == kInfinity || knot.to == -kInfinity || below || above;
      if (knot.to > knot.below || !beyond) kept.push_back(knot);
    }
    if (kept.empty()) kept.push_back({centre_, -kInfinity, kInfinity, true});
    return kept;
  }

  const OddsOfX& odds_;
  const Outline& outline_;
  const Precision& precision_;
  std::vector<Knot> knots_;
  std::vector<double> errors_;  // of the cubic from each knot to the next, in parts of what it may be
  double centre_ = 0;
  double spread_ = 0;
};

// Of steps a mean over each cell of z, and both sides of gaps that are wide.
TablePtr smoothed(const Univariate& x, const std::vector<Piece>& pieces, const Precision& precision) {
  constexpr double kQuartile = 1.0986122886681098;
  constexpr double kWideGap = 0.3;  // of the distance of the quartiles
  constexpr std::size_t kMostGaps = 40;
  constexpr int kShares = 8;
  const double wide = kWideGap * (x.quantile(kQuartile) - x.quantile(-kQuartile));
  std::vector<double> edges;
  for (double z = -precision.end; z <= precision.end; z += std::fabs(z) < 6 ? 0.075 : 0.3) edges.push_back(z);
  std::vector<double> gaps;
  for (const Piece& piece : pieces)
    if (std::fabs(piece.end) < 6 && gaps.size() < kMostGaps && wide > 0 &&
        x.quantile(after(piece.end)) - x.quantile(piece.end) >= wide)
      gaps.push_back(piece.end);
  std::vector<double> all;
  std::merge(edges.begin(), edges.end(), gaps.begin(), gaps.end(), std::back_inserter(all));
  std::vector<Knot> knots;
  const auto add = [&knots](double value, double z, bool corner) {
    if (knots.empty() || value > knots.back().x) {
      knots.push_back({value, z, z, corner});
    } else {
      knots.back().to = z;  // most of it one value
      knots.back().corner = true;
    }
  };
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    if (std::binary_search(gaps.begin(), gaps.end(), all[i])) {
      add(x.quantile(all[i]), all[i], true);
      add(x.quantile(after(all[i])), all[i], true);
    }
    const double width = all[i + 1] - all[i];
    if (width < 0.02) continue;
    double sum = 0;
    for (int s = 0; s < kShares; ++s) sum += x.quantile(all[i] + width * (s + 0.5) / kShares);
    add(sum / kShares, all[i] + width / 2, false);
  }
  return std::make_shared<const Table>(std::move(knots), x.quantile(-kInfinity), x.quantile(kInfinity));
}

}  // namespace

std::vector<double> outline_odds(const Precision& precision) {
  constexpr std::array kUpper{0.6,  1.2,  1.8,  2.5,  3.2,  4.0,  5.0,  6.0,  7.2,  8.6,
                              10.3, 12.5, 15.0, 18.0, 22.0, 27.0, 33.0, 40.0, 48.0, 57.0};
  std::vector<double> all{0};
  for (std::size_t i = precision.coarse() ? 1 : 0; i < kUpper.size(); i += precision.coarse() ? 2 : 1) {
    all.insert(all.end(), {-kUpper[i], kUpper[i]});
    if (kUpper[i] >= precision.end) break;
  }
  std::sort(all.begin(), all.end());
  return all;
}

void add_outline(const Univariate& x, const Precision& precision, std::size_t stride, std::size_t first,
                 Outline& outline) {
  const std::vector<double> odds = outline_odds(precision);
  for (std::size_t i = first; i < odds.size(); i += stride) outline.values.push_back(x.quantile(odds[i]));
  double start = -kInfinity;
  for (const Piece& piece : x.pieces()) {
    if (outline.corners.size() >= kMostCorners) break;
    if (!std::isinf(start) || piece.atom) outline.corners.push_back(x.quantile(after(start)));
    if (std::isinf(start)) outline.corners.push_back(x.quantile(-kInfinity));
    outline.corners.push_back(x.quantile(piece.end));
    start = piece.end;
  }
}

TablePtr tabulated(const OddsOfX& odds, Outline outline, const Precision& precision) {
  return Tabulation(odds, outline, precision).run();
}

TablePtr tabulated(const Univariate& x, const Precision& precision) {
  const std::vector<Piece> pieces = x.pieces();
  if (pieces.size() > kMostPieces) return smoothed(x, pieces, precision);
  Outline outline;
  outline.low = x.quantile(-kInfinity);
  outline.high = x.quantile(kInfinity);
  add_outline(x, precision, precision.coarse() && x.costly() ? 3 : 1, 0, outline);
  return tabulated([&x](double at, bool below) { return x.odds(at, below); }, std::move(outline), precision);
}

}  // namespace foretask::distribution
