// SPDX-License-Identifier: Apache-2.0
#include "distribution/combine.hpp"

#include <algorithm>
#include <cmath>

#include "distribution/composite_law.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/samples_law.hpp"

namespace foretask::distribution {

namespace {

constexpr std::size_t kMostAtoms = 16384;  // of an exact step function
constexpr std::size_t kMostPieces = 64;    // of a law that is asked itself; of more its table is
constexpr std::size_t kMostSpecials = 256;

bool all_atoms(const std::vector<Piece>& pieces) {
  return std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.atom; });
}

double after(double z) { return std::isinf(z) ? z : z + 1e-11 * std::max(1.0, std::fabs(z)); }

// A step function with these values of x, sorted.
LawPtr steps(const std::vector<double>& xs, const OddsOfX& odds) {
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
  return samples_law(set);
}

struct Plan {
  std::vector<const Law*> laws;
  std::vector<LawPtr> kept;
  std::vector<double> specials;
  std::vector<double> atoms;  // of step functions alone
  bool stepwise = true;
};

Plan plan_of(const std::vector<Component>& parts) {
  Plan plan;
  std::vector<std::vector<Piece>> pieces;
  std::size_t atoms = 0;
  for (const Component& part : parts) {
    pieces.push_back(part.law->pieces());
    atoms += pieces.back().size();
    plan.stepwise = plan.stepwise && all_atoms(pieces.back());
  }
  plan.stepwise = plan.stepwise && atoms <= kMostAtoms;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    LawPtr law = parts[i].law;
    if (!plan.stepwise && pieces[i].size() > kMostPieces) {
      law = parts[i].smooth();
      pieces[i] = law->pieces();
    }
    double start = -kInfinity;
    for (const Piece& piece : pieces[i]) {
      if (plan.stepwise) {
        plan.atoms.push_back(law->quantile(piece.end));
      } else if (plan.specials.size() < kMostSpecials) {
        const double first = law->quantile(after(start));
        if (std::isfinite(first)) plan.specials.push_back(first);
        const double last = law->quantile(piece.end);
        if (std::isfinite(last)) plan.specials.push_back(last);
      }
      start = piece.end;
    }
    plan.laws.push_back(law.get());
    plan.kept.push_back(std::move(law));
  }
  std::sort(plan.atoms.begin(), plan.atoms.end());
  plan.atoms.erase(std::unique(plan.atoms.begin(), plan.atoms.end()), plan.atoms.end());
  return plan;
}

std::vector<double> shares_of(const std::vector<Component>& parts) {
  std::vector<double> shares;
  shares.reserve(parts.size());
  for (const Component& part : parts) shares.push_back(part.share);
  return shares;
}

}  // namespace

LawPtr mixture_of(const std::vector<Component>& parts, const Resolution& resolution) {
  Plan plan = plan_of(parts);
  const OddsOfX odds = [laws = plan.laws, shares = shares_of(parts)](double x, bool below) {
    double f = 0;
    double rest = 0;
    for (std::size_t i = 0; i < laws.size(); ++i) {
      const double z = below ? laws[i]->log_odds_below(x) : laws[i]->log_odds(x);
      f += shares[i] * lower(z);
      rest += shares[i] * upper(z);
    }
    return z_of(f, rest);
  };
  if (plan.stepwise) return steps(plan.atoms, odds);
  OddsFunction function;
  function.log_odds = odds;
  function.low = kInfinity;
  function.high = -kInfinity;
  double first = kInfinity;
  double last = -kInfinity;
  double scale = kInfinity;
  function.centre = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Law& law = *plan.laws[i];
    function.low = std::min(function.low, law.quantile(-kInfinity));
    function.high = std::max(function.high, law.quantile(kInfinity));
    function.centre += parts[i].share * law.quantile(0);
    first = std::min(first, law.quantile(-2));
    last = std::max(last, law.quantile(2));
    const double its = law.quantile(2) - law.quantile(-2);
    if (its > 0) scale = std::min(scale, its / 2);
  }
  function.scale = std::isfinite(scale) ? std::max(scale, 1e-3 * (last - first)) : 1;
  function.specials = plan.specials;
  function.low_atom = std::isfinite(function.low) && odds(function.low, false) > -kFlatEnd;
  function.high_atom = std::isfinite(function.high) && odds(function.high, true) < kFlatEnd;
  auto table = std::make_shared<const TableLaw>(knots_of(function, resolution), function.low, function.high);
  return std::make_shared<const CompositeLaw>(odds, std::move(plan.kept), std::move(table));
}

LawPtr extreme_of(const std::vector<Component>& parts, bool last, const Resolution& resolution) {
  Plan plan = plan_of(parts);
  const OddsOfX odds = [laws = plan.laws, shares = shares_of(parts), last](double x, bool below) {
    double log_all = 0;
    for (std::size_t i = 0; i < laws.size(); ++i) {
      const double z = below ? laws[i]->log_odds_below(x) : laws[i]->log_odds(x);
      log_all += shares[i] * (last ? log_lower(z) : log_upper(z));
    }
    return last ? z_of_log_lower(log_all) : z_of_log_upper(log_all);
  };
  if (plan.stepwise) return steps(plan.atoms, odds);
  OddsFunction function;
  function.log_odds = odds;
  function.low = function.high = function.centre = last ? -kInfinity : kInfinity;
  function.scale = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Law& law = *plan.laws[i];
    const double low = law.quantile(-kInfinity);
    const double high = law.quantile(kInfinity);
    const double half = -0.6931471805599453 / parts[i].share;
    const double centre = law.quantile(last ? z_of_log_lower(half) : z_of_log_upper(half));
    const auto further = [last](double a, double b) { return last ? std::max(a, b) : std::min(a, b); };
    function.low = further(function.low, low);
    function.high = further(function.high, high);
    if (further(function.centre, centre) == centre) {
      function.centre = centre;
      function.scale = std::max(function.scale, (law.quantile(2) - law.quantile(-2)) / 2);
    }
  }
  for (double z = 4; !(function.scale > 0) && z < kFlatEnd; z *= 2)  // most of it is one value
    for (const Law* law : plan.laws) function.scale = std::max(function.scale, law->quantile(z) - law->quantile(-z));
  if (!(function.scale > 0)) function.scale = std::max(1e-3 * std::fabs(function.centre), 1e-300);
  function.specials = plan.specials;
  function.low_atom = std::isfinite(function.low) && odds(function.low, false) > -kFlatEnd;
  function.high_atom = std::isfinite(function.high) && odds(function.high, true) < kFlatEnd;
  auto table = std::make_shared<const TableLaw>(knots_of(function, resolution), function.low, function.high);
  return std::make_shared<const CompositeLaw>(odds, std::move(plan.kept), std::move(table));
}

}  // namespace foretask::distribution
