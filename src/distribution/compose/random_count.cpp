// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/random_count.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "distribution/family/empirical.hpp"
#include "distribution/family/expectation.hpp"
#include "distribution/family/log_odds.hpp"

namespace foretask::distribution {
namespace {

constexpr double kMostSingle = 1024;
constexpr double kBinWidth = 0.01;   // of its first number
constexpr double kManyCounts = 1e9;  // beyond, none of them matters by itself
constexpr double kTail = 60;         // log odds, above and below which no number counts

double whole(double x) { return std::max(0.0, std::round(x)); }

class RoundedCount final : public Univariate {
 public:
  RoundedCount(UnivariatePtr x, double times) : x_(std::move(x)), times_(times) {}

  double quantile(double z) const override {
    if (times_ > 0) return times_ * whole(x_->quantile(z));
    return times_ * whole(x_->quantile(std::nextafter(-z, kInfinity))) + 0.0;  // never -0
  }
  double odds(double x, bool below) const override {
    const double number = x / times_;
    // Of a number one ulp off a whole one the whole one is meant.
    const double near = std::round(number);
    const bool at = std::fabs(number - near) <= 1e-12 * std::max(1.0, std::fabs(near));
    if (times_ > 0) {
      // Numbers below or up to it.
      const double end = at ? (below ? near : near + 1) : std::ceil(number);
      return end <= 0 ? -kInfinity : x_->log_odds_below(end - 0.5);
    }
    const double begin = at ? (below ? near + 1 : near) : std::ceil(number);
    return begin <= 0 ? kInfinity : -x_->log_odds_below(begin - 0.5);
  }

  std::vector<Piece> pieces() const override {
    const double first = whole(x_->quantile(-kTail));
    const double last = std::max(first, whole(x_->quantile(kTail)));
    std::vector<Piece> pieces;
    double before = -kInfinity;
    for (double from = first; from < last;) {
      from += from - first < kMostSingle ? 1 : std::ceil(from * kBinWidth);
      const double z = x_->log_odds_below(from - 0.5);
      if (z > before && z < kInfinity) pieces.push_back({z, true});
      before = std::max(before, z);
    }
    pieces.push_back({kInfinity, true});
    if (times_ > 0) return pieces;
    std::vector<Piece> mirrored;
    for (std::size_t i = pieces.size() - 1; i-- > 0;) mirrored.push_back({-pieces[i].end, true});
    mirrored.push_back({kInfinity, true});
    return mirrored;
  }

 private:
  UnivariatePtr x_;
  double times_;
};

}  // namespace

Cumulants count_cumulants(const Univariate& x) {
  const std::vector<Piece> pieces = x.pieces();
  const double shift = whole(x.quantile(0));
  if (std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.atom; }))
    return cumulants_about(shift, expected_powers(x, [shift](double at) { return whole(at) - shift; }));
  const double first = whole(x.quantile(-kTail));
  if (first > kManyCounts) {  // Sheppard's corrections
    Cumulants cumulants = integrated_cumulants(x);
    cumulants[1] += 1.0 / 12;
    cumulants[3] -= 1.0 / 120;
    return cumulants;
  }
  Powers sums{};
  double before = -kInfinity;
  double mass = 0;
  double number = first;
  for (; number < first + kMostSingle && before < kInfinity; ++number) {
    const double z = x.log_odds_below(number + 0.5);
    mass = mass_between(before, z);
    before = std::max(before, z);
    const Powers values = powers_of(number - shift);
    for (std::size_t k = 0; k < 4; ++k) sums[k] += mass * values[k];
  }
  if (before < kInfinity) {
    const double from = number - 0.5;
    Powers beyond = expected_powers(
        x, [shift](double at) { return at - shift; }, before);
    // The mean over a number's values is that of a uniform one beside it.
    beyond[3] += beyond[1] / 2 + upper(before) / 80;
    beyond[2] += beyond[0] / 4;
    beyond[1] += upper(before) / 12;
    const double density = (mass + mass_between(before, x.log_odds_below(number + 0.5))) / 2;
    double slope = density / 12;
    for (std::size_t k = 0; k < 4; ++k) {
      sums[k] += beyond[k] + slope * static_cast<double>(k + 1);
      slope *= from - shift;
    }
  }
  return cumulants_about(shift, sums);
}

UnivariatePtr rounded_count(UnivariatePtr x, double times) {
  return std::make_shared<RoundedCount>(std::move(x), times);
}

UnivariatePtr tabulated_count(UnivariatePtr x) {
  const UnivariatePtr count = rounded_count(std::move(x), 1);
  SampleSet jumps;
  double before = -kInfinity;
  for (const Piece& piece : count->pieces()) {
    const double within = before == -kInfinity     ? std::min(piece.end - 1, 0.0)
                          : piece.end == kInfinity ? before + 1
                                                   : (before + piece.end) / 2;
    jumps.values.push_back(count->quantile(within));
    jumps.weights.push_back(mass_between(before, piece.end));
    before = piece.end;
  }
  return empirical(jumps);
}

}  // namespace foretask::distribution
