// SPDX-License-Identifier: Apache-2.0
#include "distribution/tabulate.hpp"

#include <algorithm>
#include <cmath>

#include "distribution/bisected_knots.hpp"

namespace foretask::distribution {

namespace {

constexpr double kMiddle = 6;
constexpr double kMatched = 1e-9;
constexpr double kMostMoved = 0.05;
constexpr std::size_t kMostPieces = 64;  // of a law whose every piece is kept
constexpr std::size_t kMostGaps = 40;
constexpr double kWideGap = 0.3;   // of the distance of the quartiles
constexpr double kGapGain = 2e-3;  // of a step that is taken for one within a gap, as a share of what it should gain
constexpr double kQuartile = 1.0986122886681098;

std::vector<double> grid(const Resolution& resolution) {
  std::vector<double> upper;
  for (double z = resolution.step / 2; z < resolution.end; z += resolution.step_at(z)) upper.push_back(z);
  std::vector<double> all(upper.rbegin(), upper.rend());
  for (double& z : all) z = -z;
  all.insert(all.end(), upper.begin(), upper.end());
  return all;
}

double just_above(double z) { return z + 1e-11 * std::max(1.0, std::fabs(z)); }

void add(std::vector<Knot>& knots, double z, double x, bool corner) {
  if (!std::isfinite(x) || !std::isfinite(z)) return;
  if (!knots.empty()) {
    Knot& last = knots.back();
    x = std::max(x, last.x);
    if (z <= last.z && x <= last.x) {
      last.corner = last.corner || corner;
      return;
    }
    z = std::max(z, last.z);
  }
  knots.push_back({z, x, corner});
}

TablePtr by_pieces(const Law& law, const std::vector<Piece>& pieces, const std::vector<double>& zs) {
  std::vector<Knot> knots;
  knots.reserve(zs.size() + 2 * pieces.size());
  if (pieces.size() == 1 && !pieces[0].atom) {
    std::vector<double> at = zs;
    std::vector<double> xs;
    law.points_near(at, xs);
    for (std::size_t k = 0; k < at.size(); ++k) add(knots, at[k], xs[k], false);
    if (knots.empty()) add(knots, 0, law.quantile(0), true);
    return std::make_shared<const TableLaw>(std::move(knots), law.quantile(-kInfinity), law.quantile(kInfinity));
  }
  std::size_t at = 0;
  double start = -kInfinity;
  for (const Piece& piece : pieces) {
    const double from = std::max(start, -kFlatEnd);
    const double to = std::min(piece.end, kFlatEnd);
    if (piece.atom && from < to) {
      const double x =
          law.quantile(std::isfinite(piece.end) ? piece.end : (std::isfinite(start) ? just_above(start) : 0));
      add(knots, from, x, true);
      add(knots, to, x, true);
    } else if (from < to) {
      if (std::isfinite(start)) add(knots, start, law.quantile(just_above(start)), true);
      while (at < zs.size() && zs[at] <= start) ++at;
      for (; at < zs.size() && zs[at] < piece.end; ++at) {
        // Beside a corner a knot of the grid would only make a short interval.
        const double room = 0.2 * std::min(0.5, piece.end - std::max(start, -1e3));
        if (zs[at] - start > room && piece.end - zs[at] > room) add(knots, zs[at], law.quantile(zs[at]), false);
      }
      if (std::isfinite(piece.end) && piece.end < kFlatEnd) add(knots, piece.end, law.quantile(piece.end), true);
    }
    start = piece.end;
  }
  if (knots.empty()) add(knots, 0, law.quantile(0), true);
  return std::make_shared<const TableLaw>(std::move(knots), law.quantile(-kInfinity), law.quantile(kInfinity));
}

// Of steps a mean over each cell of z.
TablePtr smoothed(const Law& law, const std::vector<Piece>& pieces, const std::vector<double>& zs) {
  constexpr int kShares = 8;
  const double wide = kWideGap * (law.quantile(kQuartile) - law.quantile(-kQuartile));
  std::vector<Knot> gaps;  // by twos
  for (const Piece& piece : pieces) {
    if (std::fabs(piece.end) > kMiddle || gaps.size() >= 2 * kMostGaps || !(wide > 0)) continue;
    const double below = law.quantile(piece.end);
    const double above = law.quantile(just_above(piece.end));
    if (above - below < wide) continue;
    gaps.push_back({piece.end, below, true});
    gaps.push_back({piece.end, above, true});
  }
  std::vector<Knot> knots;
  knots.reserve(zs.size() + gaps.size());
  std::size_t gap = 0;
  double from = -kFlatEnd;
  for (std::size_t k = 0; k < zs.size(); ++k) {
    const double to = k + 1 < zs.size() ? (zs[k] + zs[k + 1]) / 2 : kFlatEnd;
    double left = from;
    const auto add_mean = [&](double z, double end) {
      double sum = 0;
      for (int i = 0; i < kShares; ++i) sum += law.quantile(left + (end - left) * (i + 0.5) / kShares);
      add(knots, z, sum / kShares, false);
    };
    if (gap < gaps.size() && gaps[gap].z < to) {
      for (; gap < gaps.size() && gaps[gap].z < to; gap += 2) {
        if (gaps[gap].z - left > 0.02) add_mean((left + gaps[gap].z) / 2, gaps[gap].z);
        add(knots, gaps[gap].z, gaps[gap].x, true);
        add(knots, gaps[gap + 1].z, gaps[gap + 1].x, true);
        left = gaps[gap].z;
      }
      if (to - left > 0.02) add_mean((left + to) / 2, to);
    } else {
      add_mean(zs[k], to);
    }
    from = to;
  }
  return std::make_shared<const TableLaw>(std::move(knots), law.quantile(-kInfinity), law.quantile(kInfinity));
}

// One way outwards. `sign` -1: to lower x; within all is mirrored, so that X and Z rise.
class March {
 public:
  March(const OddsFunction& function, const Resolution& resolution, int sign, double x, double z)
      : function_(function),
        resolution_(resolution),
        sign_(sign),
        x_(sign * x),
        z_(sign * z),
        first_z_(sign * z),
        origin_(sign * x) {
    end_ = sign > 0 ? function.high : -function.low;
    for (const double special : function.specials)
      if (sign * special > x_ && sign * special < end_) specials_.push_back(sign * special);
    std::sort(specials_.begin(), specials_.end());
    specials_.erase(std::unique(specials_.begin(), specials_.end()), specials_.end());
  }

  // Outwards from the first, which is left out; in mirrored coordinates.
  std::vector<Knot> run() {
    constexpr int kMostSteps = 600;
    double slope = first_slope();
    double measured = slope;  // what the last step had
    int retries = 0;
    const bool end_atom = std::isfinite(end_) && (sign_ > 0 ? function_.high_atom : function_.low_atom);
    const double at_end = end_atom ? odds(end_, true) : kInfinity;  // of all but the atom
    std::size_t special = 0;
    bool pending = false;
    Knot waiting;
    double limit = kInfinity;  // of a step's gain: behind a gap they begin small, for the shape of what comes
    for (int step = 0; step < kMostSteps && z_ < resolution_.end; ++step) {
      const double full = resolution_.step_at(z_);
      const double aim = std::min(full, limit);
      double next = x_of(y_of(x_) + slope * aim);
      const bool stop = special < specials_.size() && next > specials_[special] - 1e-3 * (next - x_);
      if (stop) next = specials_[special];
      if (!(next > x_)) break;
      if (next >= end_) break;
      const double z = stop ? odds(next, true) : odds(next, false);
      const double gain = z - z_;
      if (gain > 2.2 * aim && retries < 12) {
        slope *= std::max(0.1, std::min(0.5, 1.2 * aim / gain));
        ++retries;
        continue;
      }
      const double moved = y_of(next) - y_of(x_);
      const bool into_mode = gain > 0.15 * full && 4 * moved < measured * gain;  // its foot first
      const bool out_of_mode = gain > kGapGain * full && moved > 4 * measured * gain;
      if ((into_mode || out_of_mode) && !stop && retries < 12) {
        slope *= 0.4;
        ++retries;
        continue;
      }
      retries = 0;
      if (!(z < at_end) && !stop) break;  // all that is left is the end itself
      if (!(z < kFlatEnd)) break;
      const double last = knots_.empty() ? first_z_ : knots_.back().z;
      if (!stop && z - last < kGapGain * full) {  // a gap: its ends alone are kept
        waiting = {z, next, true};
        pending = true;
        limit = 4 * kGapGain * full;
        slope = measured = 3 * std::max(slope, moved / limit);
        x_ = next;
        z_ = std::max(z_, z);
        continue;
      }
      if (pending) knots_.push_back(waiting);
      pending = false;
      knots_.push_back({std::max(z, z_), next, stop});
      limit *= 2;
      if (gain > 0) slope = measured = std::clamp(moved / gain, slope / 4, slope * 4);
      x_ = next;
      z_ = std::max(z_, z);
      if (stop) {
        ++special;
        const double above = std::min(odds(next, false), kFlatEnd);
        if (above > z_ + 1e-12) {
          knots_.push_back({above, next, true});
          z_ = above;
        }
      }
    }
    if (at_end < resolution_.end) {
      knots_.push_back({std::max(z_, at_end), end_, true});
      knots_.push_back({kFlatEnd, end_, true});
    }
    return std::move(knots_);
  }

 private:
  // Mirrored, what is below is above: an atom is passed from its inner to its outer side.
  [[nodiscard]] double odds(double x, bool inner) const {
    return sign_ * function_.log_odds(sign_ * x, sign_ > 0 ? inner : !inner);
  }
  // A scale on which most tails are about straight in z.
  [[nodiscard]] double y_of(double x) const {
    if (std::isfinite(end_)) return -std::log((end_ - x) / (end_ - origin_));
    return std::asinh((x - origin_) / function_.scale);
  }
  [[nodiscard]] double x_of(double y) const {
    if (std::isfinite(end_)) return end_ - (end_ - origin_) * std::exp(-y);
    return origin_ + function_.scale * std::sinh(y);
  }
  [[nodiscard]] double first_slope() const {
    double dx = function_.scale / 16;
    if (std::isfinite(end_)) dx = std::min(dx, (end_ - x_) / 4);
    if (!specials_.empty()) dx = std::min(dx, (specials_.front() - x_) / 2);
    const double dz = odds(x_ + dx, true) - z_;
    const double dy = y_of(x_ + dx) - y_of(x_);
    return dz > 1e-3 * dy ? dy / dz : 2.0;
  }

  const OddsFunction& function_;
  const Resolution& resolution_;
  int sign_;
  double x_;
  double z_;
  double first_z_;
  double origin_;
  double end_ = kInfinity;
  std::vector<double> specials_;
  std::vector<Knot> knots_;
};

}  // namespace

double Resolution::step_at(double z) const noexcept {
  const double out = std::fabs(z) - kMiddle;
  return out > 0 ? step * (1 + widening * out) : step;
}

TablePtr tabulated(const Law& law, const Resolution& resolution) {
  const std::vector<Piece> pieces = law.pieces();
  const std::vector<double> zs = grid(resolution);
  return pieces.size() > kMostPieces ? smoothed(law, pieces, zs) : by_pieces(law, pieces, zs);
}

namespace {

std::vector<Knot> marched_knots(const OddsFunction& function, const Resolution& resolution) {
  // A start in the middle.
  double x = std::clamp(function.centre, function.low, function.high);
  double low = function.low;
  double high = function.high;
  double reach = function.scale;
  double z = function.log_odds(x, false);
  for (int i = 0; i < 200 && !(std::fabs(z) < 1); ++i) {
    if (z > 0) {
      if (function.log_odds(x, true) < 0.5) break;  // an atom
      high = x;
    } else {
      low = x;
    }
    if (std::isfinite(low) && std::isfinite(high)) {
      if (high - low <= 1e-14 * std::max(std::fabs(low), std::fabs(high))) break;
      x = (low + high) / 2;
    } else {
      x += z > 0 ? -reach : reach;
      reach *= 2;
    }
    z = function.log_odds(x, false);
  }
  std::vector<Knot> knots;
  const double inner = function.log_odds(x, true);
  const bool atom = z - inner > 1e-12;
  std::vector<Knot> lower =
      x > function.low ? March(function, resolution, -1, x, atom ? inner : z).run() : std::vector<Knot>{};
  std::vector<Knot> upper = x < function.high ? March(function, resolution, 1, x, z).run() : std::vector<Knot>{};
  for (auto knot = lower.rbegin(); knot != lower.rend(); ++knot) add(knots, -knot->z, -knot->x, knot->corner);
  const bool special = std::find(function.specials.begin(), function.specials.end(), x) != function.specials.end();
  if (atom) add(knots, std::max(inner, -kFlatEnd), x, true);
  add(knots, std::min(z, kFlatEnd), x, atom || special);
  for (const Knot& knot : upper) add(knots, knot.z, knot.x, knot.corner);
  return knots;
}

}  // namespace

std::vector<Knot> knots_of(const OddsFunction& function, const Resolution& resolution) {
  std::vector<Knot> knots = marched_knots(function, resolution);
  return are_faithful(knots, function, resolution) ? knots : bisected_knots(function, resolution);
}

TablePtr matched_table(std::vector<Knot> knots, double low, double high, double mean, double variance) {
  auto table = std::make_shared<const TableLaw>(knots, low, high);
  if (!std::isfinite(mean) || std::isinf(table->largest_density())) return table;  // atoms stay where they are
  for (int round = 0; round < 2; ++round) {
    const std::array<double, 4> has = table->central_moments();
    const double sd = std::sqrt(has[1]);
    if (!(sd > 0)) return table;
    const double shift = mean - has[0];
    const double stretch = std::isfinite(variance) ? std::sqrt(variance / has[1]) - 1 : 0;
    if (std::fabs(shift) < kMatched * sd && std::fabs(stretch) < kMatched) return table;
    // Tails so heavy that the table does not hold them: what is left out of them is no reason to move the rest.
    if (!(std::fabs(shift) <= kMostMoved * (table->quantile(2) - table->quantile(-2))) ||
        !(std::fabs(stretch) <= kMostMoved))
      return table;
    // A finite end stays where it is, and what is near it keeps its relative distance.
    for (Knot& knot : knots) {
      double moved_by = stretch * (knot.x - has[0]);
      double all = shift;
      if (std::isfinite(low)) {
        const double share = (knot.x - low) / (has[0] - low);
        moved_by *= std::min(1.0, share);
        all *= std::isfinite(high) ? std::min(1.0, share) : share;
      }
      if (std::isfinite(high)) {
        const double share = (high - knot.x) / (high - has[0]);
        moved_by *= std::min(1.0, share);
        all *= std::isfinite(low) ? std::min(1.0, share) : share;
      }
      knot.x = std::clamp(knot.x + moved_by + all, low, high);
    }
    for (std::size_t k = 1; k < knots.size(); ++k) knots[k].x = std::max(knots[k].x, knots[k - 1].x);
    table = std::make_shared<const TableLaw>(knots, low, high);
  }
  return table;
}

}  // namespace foretask::distribution
