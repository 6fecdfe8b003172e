// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/combination.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "distribution/family/empirical.hpp"
#include "distribution/family/log_odds.hpp"
#include "statistics/root.hpp"

namespace foretask::distribution {
namespace {

constexpr std::size_t kMostAtoms = 16384;  // of an exact step function
constexpr std::size_t kMostPieces = 64;    // of a distribution that is asked itself; of more its table is
constexpr std::size_t kFewParts = 16;      // with the whole of whose outlines a table begins

bool all_atoms(const std::vector<Piece>& pieces) {
  return std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.atom; });
}

// A step function with these values of x, sorted.
UnivariatePtr steps(const std::vector<double>& xs, const OddsOfX& odds) {
  SampleSet set;
  double before = -kInfinity;
  for (const double x : xs) {
    const double z = odds(x, false);
    const double mass = mass_between(before, z);
    if (!(mass > 0)) continue;
    set.values.push_back(x);
    set.weights.push_back(mass);
    before = z;
  }
  return empirical(set);
}

// A formula of other distribution functions: exact where it is asked itself, with a table for what is built on it.
class Combination final : public Univariate {
 public:
  Combination(OddsOfX odds, TablePtr table) : odds_(std::move(odds)), table_(std::move(table)) {}

  // The table's, made exact by some ten values of the parts' distribution functions.
  [[nodiscard]] double quantile(double z) const override {
    const double near = table_->quantile(z);
    if (std::isinf(z) || !std::isfinite(near)) return near;
    const double low = table_->low();
    const double high = table_->high();
    const auto misses = [&](double x) { return odds_(x, false) < z; };
    double from = near;
    double to = near;
    double step = std::max(1e-8 * (table_->quantile(z + 0.1) - table_->quantile(z - 0.1)), 1e-15 * std::fabs(near));
    for (int i = 0; i < 60 && to < high && misses(to); ++i, step *= 8) to = std::min(high, to + step);
    for (int i = 0; i < 60 && from > low && !misses(from); ++i, step *= 8) from = std::max(low, from - step);
    if (misses(to)) return near;  // beyond what rounding tells apart
    if (!misses(from)) return from;
    const auto off = [&](double x) { return std::clamp(odds_(x, false) - z, -1e6, 1e6); };
    return statistics::root_between(off, from, to).value_or(to);
  }
  [[nodiscard]] double odds(double x, bool below) const override { return odds_(x, below); }
  [[nodiscard]] std::vector<Piece> pieces() const override { return table_->pieces(); }
  [[nodiscard]] const TablePtr& table() const noexcept { return table_; }
  [[nodiscard]] std::optional<Cumulants> cumulants() const override { return cumulants_by_odds(odds_, *table_); }

 private:
  OddsOfX odds_;
  TablePtr table_;
};

// The distributions to ask, with their shares.
using Cases = std::vector<std::pair<UnivariatePtr, double>>;

// Whether the support begins at the largest of the parts' low ends, or at the least; and so of where it ends.
UnivariatePtr combined(const std::vector<Component>& parts, const Precision& precision,
                       const std::function<OddsOfX(const Cases&)>& make_odds, bool largest_low, bool largest_high) {
  std::vector<std::vector<Piece>> pieces;
  std::size_t atoms = 0;
  bool stepwise = true;
  for (const Component& part : parts) {
    pieces.push_back(part.x->pieces());
    atoms += pieces.back().size();
    stepwise = stepwise && all_atoms(pieces.back());
  }
  stepwise = stepwise && atoms <= kMostAtoms;
  Cases asked;
  for (std::size_t i = 0; i < parts.size(); ++i)
    asked.emplace_back(!stepwise && pieces[i].size() > kMostPieces ? parts[i].smooth() : parts[i].x, parts[i].share);
  OddsOfX odds = make_odds(asked);
  if (stepwise) {
    std::vector<double> xs;
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (const Piece& piece : pieces[i]) xs.push_back(asked[i].first->quantile(piece.end));
    std::sort(xs.begin(), xs.end());
    xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
    return steps(xs, odds);
  }
  Outline outline;
  const auto end_of = [&asked](double z, bool largest) {
    double end = largest ? -kInfinity : kInfinity;
    for (const auto& [x, share] : asked) end = largest ? std::max(end, x->quantile(z)) : std::min(end, x->quantile(z));
    return end;
  };
  outline.low = end_of(-kInfinity, largest_low);
  outline.high = end_of(kInfinity, largest_high);
  const std::size_t stride = 1 + asked.size() / kFewParts;
  for (std::size_t i = 0; i < asked.size(); ++i) add_outline(*asked[i].first, precision, stride, i % stride, outline);
  TablePtr table = tabulated(odds, std::move(outline), precision);
  return std::make_shared<const Combination>(std::move(odds), std::move(table));
}

}  // namespace

UnivariatePtr branch_of(const std::vector<Component>& parts, const Precision& precision) {
  const auto make_odds = [](const Cases& cases) {
    return [cases](double x, bool below) {
      double f = 0;
      double rest = 0;
      for (const auto& [one, share] : cases) {
        const double z = one->odds(x, below);
        f += share * lower(z);
        rest += share * upper(z);
      }
      return z_of(f, rest);
    };
  };
  return combined(parts, precision, make_odds, false, true);
}

UnivariatePtr extreme_of(const std::vector<Component>& parts, bool last, const Precision& precision) {
  const auto make_odds = [last](const Cases& cases) {
    return [cases, last](double x, bool below) {
      double log_all = 0;
      for (const auto& [one, count] : cases) {
        const double z = one->odds(x, below);
        log_all += count * (last ? log_lower(z) : log_upper(z));
      }
      return last ? z_of_log_lower(log_all) : z_of_log_upper(log_all);
    };
  };
  return combined(parts, precision, make_odds, last, last);
}

TablePtr table_of(const UnivariatePtr& x) {
  if (const auto combination = std::dynamic_pointer_cast<const Combination>(x)) return combination->table();
  return std::dynamic_pointer_cast<const Table>(x);
}

}  // namespace foretask::distribution
