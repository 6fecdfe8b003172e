// SPDX-License-Identifier: Apache-2.0
#include "distribution/sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "distribution/array_math.hpp"
#include "distribution/log_odds.hpp"

namespace foretask::distribution {

namespace {

constexpr double kHardPower = 5;      // an end that F leaves more slowly than with this power is a kink to quadrature
constexpr double kCornerPower = 1.3;  // and one that leaves a kink in a sum
constexpr double kEndRoom = 0.4;      // how far into an end the nodes go, of the table's end: exp(-16) is left out
constexpr double kNarrow = 0.5;  // of the one's spread, below which the other's distribution function is a step to it
constexpr double kReach = 4;     // how far beyond the table's end they go
constexpr std::size_t kMostBreaks = 8;
constexpr std::size_t kMostSpecials = 48;
constexpr std::size_t kMostAtoms = 256;  // of a sum of two step functions that is kept as one

struct Atom {
  double x = 0;
  double mass = 0;
};

struct Stretch {  // of z, in which a law is smooth
  double from = -kFlatEnd;
  double to = kFlatEnd;
};

struct Side {
  const TableLaw* law = nullptr;
  std::vector<Atom> atoms;
  std::vector<Stretch> smooth;
  std::vector<double> breaks;    // x of hard ends, corners and atoms
  std::vector<double> specials;  // x of very hard ends and atoms
};

Side side_of(const TableLaw& law) {
  Side side;
  side.law = &law;
  double start = -kInfinity;
  std::vector<double> corners;
  for (const Piece& piece : law.pieces()) {
    const double from = std::max(start, -kFlatEnd);
    const double to = std::min(piece.end, kFlatEnd);
    if (piece.atom) {
      const double mass = mass_between(start, piece.end);
      const double x = law.quantile(piece.end < kInfinity ? piece.end : kInfinity);
      if (mass > 0) side.atoms.push_back({x, mass});
    } else if (from < to) {
      side.smooth.push_back({from, to});
      if (std::isfinite(start)) corners.push_back(law.quantile(start + 1e-11 * (1 + std::fabs(start))));
      if (std::isfinite(piece.end)) corners.push_back(law.quantile(piece.end));
    }
    start = piece.end;
  }
  if (std::isfinite(law.low()) && law.lower_power() > 0) {
    if (law.lower_power() > 1 / kHardPower) side.breaks.push_back(law.low());
    if (law.lower_power() > 1 / kCornerPower) side.specials.push_back(law.low());
  }
  if (std::isfinite(law.high()) && law.upper_power() > 0) {
    if (law.upper_power() > 1 / kHardPower) side.breaks.push_back(law.high());
    if (law.upper_power() > 1 / kCornerPower) side.specials.push_back(law.high());
  }
  std::vector<Atom> heavy = side.atoms;
  std::sort(heavy.begin(), heavy.end(), [](const Atom& a, const Atom& b) { return a.mass > b.mass; });
  if (heavy.size() > kMostBreaks) heavy.resize(kMostBreaks);
  for (const Atom& atom : heavy) {
    side.breaks.push_back(atom.x);
    side.specials.push_back(atom.x);
  }
  if (corners.size() <= kMostBreaks) side.breaks.insert(side.breaks.end(), corners.begin(), corners.end());
  std::sort(side.breaks.begin(), side.breaks.end());
  side.breaks.erase(std::unique(side.breaks.begin(), side.breaks.end()), side.breaks.end());
  std::sort(side.specials.begin(), side.specials.end());
  side.specials.erase(std::unique(side.specials.begin(), side.specials.end()), side.specials.end());
  return side;
}

// Nodes of the trapezoidal rule in s for z = log((e^from + e^s) / (1 + e^(s - to))): z ~ s in the middle, and close in
// exponentially on both ends, so that the rule converges geometrically whatever power the integrand has there.
struct Nodes {
  std::vector<double> z;
  std::vector<double> share;  // of probability
  std::vector<double> b;
  std::size_t count = 0;

  void place(double from, double to, bool open_below, bool open_above, const Resolution& resolution) {
    const double step = resolution.node_step;
    const double end = resolution.end + kReach;
    const double first = open_below ? -end : std::max(-end, from - kEndRoom * resolution.end);
    const double last = open_above ? end : std::min(end, to + kEndRoom * resolution.end);
    count = first < last ? static_cast<std::size_t>((last - first) / step) + 1 : 0;
    if (z.size() < count) {
      z.resize(count);
      share.resize(count);
      b.resize(count);
    }
    const double e_from = open_below ? 0 : std::exp(from);
    const double e_to = open_above ? 0 : std::exp(-to);
    const double apart = open_below || open_above ? 1 : -std::expm1(from - to);
    double power = std::exp(first);
    const double factor = std::exp(step);
    for (std::size_t j = 0; j < count; ++j) {
      z[j] = power;
      power *= factor;
    }
    for (std::size_t j = 0; j < count; ++j) {
      const double e = z[j];
      const double below = e_from + e;
      const double above = 1 + e * e_to;
      const double odds = below / above;
      share[j] = step * apart * e / ((below + above) * (below + above));
      z[j] = quick_log(odds);
    }
  }
};

class SumOdds {
 public:
  SumOdds(const Side& a, const Side& b, const Resolution& resolution) : a_(a), b_(b), resolution_(resolution) {
    whole_.resize(b.smooth.size());
    for (std::size_t p = 0; p < whole_.size(); ++p) {
      place(whole_[p], b.smooth[p].from, b.smooth[p].to);
      b.law->quantiles(whole_[p].z.data(), whole_[p].b.data(), whole_[p].count);
    }
  }

  double operator()(double x, bool below) {
    f_ = 0;
    rest_ = 0;
    for (const Atom& atom : b_.atoms) {
      const double z = below ? a_.law->log_odds_below(x - atom.x) : a_.law->log_odds(x - atom.x);
      f_ += atom.mass * lower(z);
      rest_ += atom.mass * upper(z);
    }
    for (std::size_t p = 0; p < whole_.size(); ++p) {
      const Stretch& stretch = b_.smooth[p];
      // Where in z of B the breaks of A are met; the highest of A first.
      cuts_.clear();
      double from = stretch.from;
      double to = stretch.to;
      for (auto at = a_.breaks.rbegin(); at != a_.breaks.rend(); ++at) {
        const double z = b_.law->log_odds(x - *at);
        if (!(z > from) && *at >= a_.law->high()) continue;
        if (*at <= a_.law->low() && z < to) {  // beyond it nothing of A is reached
          const double end = std::max(z, from);
          rest_ += mass_between(end, to);
          to = end;
        } else if (*at >= a_.law->high() && z > from) {
          const double end = std::min(z, to);
          f_ += mass_between(from, end);
          from = end;
        } else if (z > from && z < to) {
          cuts_.push_back(z);
        }
      }
      if (!(from < to)) continue;
      if (cuts_.empty() && from <= stretch.from && to >= stretch.to) {
        gather(whole_[p], x);
        continue;
      }
      cuts_.push_back(to);
      for (const double cut : cuts_) {
        if (cut - from > 1e-13) {
          place(nodes_, from, cut);
          b_.law->quantiles(nodes_.z.data(), nodes_.b.data(), nodes_.count);
          gather(nodes_, x);
        }
        from = std::max(from, cut);
      }
    }
    return z_of(f_, rest_);
  }

 private:
  void place(Nodes& nodes, double from, double to) const {
    nodes.place(from, to, from <= -kFlatEnd, to >= kFlatEnd, resolution_);
  }

  void gather(const Nodes& nodes, double x) {
    const std::size_t count = nodes.count;
    if (t_.size() < count) {
      t_.resize(count);
      odds_.resize(count);
    }
    const double* b = nodes.b.data();
    const double* share = nodes.share.data();
    double* t = t_.data();
    double* odds = odds_.data();
    for (std::size_t j = 0; j < count; ++j) t[j] = x - b[j];
    a_.law->log_odds_falling(t, odds, count);
    // F is below 1/2 up to the first node where z < 0: no branch within the two loops.
    std::size_t split = 0;
    while (split < count && odds[split] >= 0) ++split;
    double f = 0;
    double rest = 0;
    for (std::size_t j = 0; j < count; ++j) t[j] = quick_exp(-std::fabs(odds[j]));
    for (std::size_t j = 0; j < split; ++j) {
      const double part = share[j] / (1 + t[j]);
      f += part;
      rest += part * t[j];
    }
    for (std::size_t j = split; j < count; ++j) {
      const double part = share[j] / (1 + t[j]);
      rest += part;
      f += part * t[j];
    }
    f_ += f;
    rest_ += rest;
  }

  const Side& a_;
  const Side& b_;
  const Resolution& resolution_;
  std::vector<Nodes> whole_;  // of each smooth stretch of B, where no break of A cuts it
  Nodes nodes_;
  std::vector<double> cuts_;
  std::vector<double> t_;
  std::vector<double> odds_;
  double f_ = 0;
  double rest_ = 0;
};

// All sums of two atoms; none where they are too many.
std::vector<Knot> step_sum(const Side& a, const Side& b) {
  if (a.atoms.size() * b.atoms.size() > 16 * kMostAtoms) return {};
  std::vector<Atom> sums;
  for (const Atom& one : a.atoms)
    for (const Atom& other : b.atoms) sums.push_back({one.x + other.x, one.mass * other.mass});
  std::sort(sums.begin(), sums.end(), [](const Atom& l, const Atom& r) { return l.x < r.x; });
  std::vector<Atom> merged;
  const double close = 1e-12 * std::max(std::fabs(sums.front().x), std::fabs(sums.back().x));
  for (const Atom& atom : sums) {
    if (!merged.empty() && atom.x - merged.back().x <= close) {
      merged.back().mass += atom.mass;
    } else {
      merged.push_back(atom);
    }
  }
  if (merged.size() > kMostAtoms) return {};
  std::vector<double> rest(merged.size() + 1, 0);
  for (std::size_t i = merged.size(); i-- > 0;) rest[i] = rest[i + 1] + merged[i].mass;
  std::vector<Knot> knots;
  double f = 0;
  double z = -kFlatEnd;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    f += merged[i].mass;
    const double next = i + 1 < merged.size() ? std::clamp(z_of(f, rest[i + 1]), -kFlatEnd, kFlatEnd) : kFlatEnd;
    if (!(next > z)) continue;
    knots.push_back({z, merged[i].x, true});
    knots.push_back({next, merged[i].x, true});
    z = next;
  }
  return knots;
}

double middle(const TableLaw& law) { return law.quantile(0); }

double spread(const TableLaw& law) { return law.quantile(2) - law.quantile(-2); }

// Where A is narrower than B, and far out in a heavy tail of B, F_A(x - b) is a step within a small part of z: the
// nodes must be close there.
void see_steps(Side& a, const TableLaw& b) {
  constexpr double kOutmost = 7;  // log odds within which A's step is
  if (spread(*a.law) < kNarrow * spread(b))
    for (const double z : {-kOutmost, 0.0, kOutmost}) a.breaks.push_back(a.law->quantile(z));
  constexpr double kHeavy = 8;  // an exponential tail has 5
  const double body = b.quantile(2) - b.quantile(-2);
  const double inner = middle(*a.law);
  if (b.quantile(12) - b.quantile(2) > kHeavy * body)
    a.breaks.push_back(std::isfinite(a.law->low()) && a.law->lower_power() > 0 ? a.law->low() : inner);
  if (b.quantile(-2) - b.quantile(-12) > kHeavy * body)
    a.breaks.push_back(std::isfinite(a.law->high()) && a.law->upper_power() > 0 ? a.law->high() : inner);
  std::sort(a.breaks.begin(), a.breaks.end());
  a.breaks.erase(std::unique(a.breaks.begin(), a.breaks.end()), a.breaks.end());
}

double atom_mass(const Side& side) {
  double mass = 0;
  for (const Atom& atom : side.atoms) mass += atom.mass;
  return mass;
}

}  // namespace

TablePtr sum_of(const TableLaw& a, const TableLaw& b, double mean, double variance, const Resolution& resolution) {
  Side one = side_of(a);
  Side other = side_of(b);
  const double low = a.low() + b.low();
  const double high = a.high() + b.high();
  if (one.smooth.empty() && other.smooth.empty()) {
    std::vector<Knot> knots = step_sum(one, other);
    if (!knots.empty()) {
      const double first = knots.front().x;
      const double last = knots.back().x;
      return std::make_shared<const TableLaw>(std::move(knots), first, last);
    }
  }
  const double mass_one = atom_mass(one);
  const double mass_other = atom_mass(other);
  const bool swap =
      std::max(mass_one, mass_other) > kSomeMass ? mass_one > mass_other : a.largest_density() > b.largest_density();
  Side& wide = swap ? other : one;
  const Side& narrow = swap ? one : other;
  see_steps(wide, *narrow.law);
  SumOdds odds(wide, narrow, resolution);
  OddsFunction function;
  function.log_odds = [&odds](double x, bool below) { return odds(x, below); };
  function.low = low;
  function.high = high;
  function.centre = middle(a) + middle(b);
  function.scale = std::hypot(spread(a), spread(b)) / 2;
  const auto has_atom = [](const Side& side, double x) {
    return std::any_of(side.atoms.begin(), side.atoms.end(), [x](const Atom& atom) { return atom.x == x; });
  };
  function.low_atom = has_atom(one, a.low()) && has_atom(other, b.low());
  function.high_atom = has_atom(one, a.high()) && has_atom(other, b.high());
  if (!(function.scale > 0))  // most of it is one value
    function.scale = variance > 0 ? std::sqrt(variance) : std::max(1e-300, 1e-9 * std::fabs(function.centre));
  if (one.specials.size() * other.specials.size() <= kMostSpecials)
    for (const double x : one.specials)
      for (const double y : other.specials) function.specials.push_back(x + y);
  return matched_table(knots_of(function, resolution), low, high, mean, variance);
}

}  // namespace foretask::distribution
