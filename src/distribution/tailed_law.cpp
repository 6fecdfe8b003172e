// SPDX-License-Identifier: Apache-2.0
// Samples with fitted tails: how a threshold is chosen, and the law that comes of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "distribution/atoms.hpp"
#include "distribution/generalized_pareto.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/samples_law.hpp"

namespace foretask::distribution {
namespace {

constexpr std::size_t kFewestValues = 40;    // distinct ones for any tail
constexpr std::size_t kFewestExcesses = 20;  // beyond a threshold
// Shares of the samples beyond the thresholds that are tried.
constexpr std::array<double, 5> kShares{0.1, 0.07, 0.05, 0.035, 0.025};
// Cramér and von Mises statistic of a fitted generalized Pareto law that one in ten exceeds (Choulakian and Stephens
// 2001, at shape 0).
constexpr double kGoodFit = 0.124;

struct Tail {
  bool fitted = false;
  // A lower tail of positive times is fitted over log(threshold / x): it ends at 0, or before, and what begins there
  // like a power of x is an exponential tail.
  bool over_logs = false;
  std::size_t index = 0;  // of the atom that is the threshold
  double log_share = 0;   // log of the mass beyond
  GeneralizedPareto law;
};

double cube(double x) { return x * x * x; }

// n times the integral of (empirical - fitted)^2 over the fitted probability.
double misfit(const GeneralizedPareto& law, const std::vector<double>& excesses, const std::vector<double>& weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  double integral = 0;
  double step = 0;
  double from = 0;
  double sum = 0;
  for (std::size_t i = 0; i <= excesses.size(); ++i) {
    const double to = i < excesses.size() ? -std::expm1(-law.depth(excesses[i])) : 1;
    integral += (cube(to - step) - cube(from - step)) / 3;
    if (i == excesses.size()) break;
    from = to;
    sum += weights[i];
    step = sum / total;
  }
  return std::max(total, static_cast<double>(excesses.size())) * integral;
}

// Beyond atom `index`, on the upper side or the lower one, seen from there.
struct Excesses {
  std::vector<double> values;
  std::vector<double> weights;
};
Excesses excesses_beyond(const Atoms& atoms, std::size_t index, bool upper_side, bool over_logs) {
  Excesses found;
  const std::size_t count = upper_side ? atoms.size() - 1 - index : index;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t at = upper_side ? index + i : index - i;
    found.values.push_back(over_logs ? std::log(atoms.value(index) / atoms.value(at))
                                     : std::fabs(atoms.value(at) - atoms.value(index)));
    found.weights.push_back(atoms.mass(at));
  }
  return found;
}

Tail choose_tail(const Atoms& atoms, bool upper_side) {
  const bool over_logs = !upper_side && atoms.value(0) > 0;
  Tail best;
  double least = kInfinity;
  for (const double share : kShares) {
    // The atom with at least that share beyond it.
    std::size_t index = upper_side ? atoms.size() - 1 : 0;
    const auto beyond_share = [&] {
      return upper_side ? atoms.share_above(index) : index == 0 ? 0 : atoms.share_to(index - 1);
    };
    while (beyond_share() < share) upper_side ? --index : ++index;
    const Excesses beyond = excesses_beyond(atoms, index, upper_side, over_logs);
    if (beyond.values.size() < kFewestExcesses) break;
    // One value that has most of the mass is no tail that goes on.
    if (beyond_share() > 2 * share) continue;
    const GeneralizedPareto law = fit_generalized_pareto(beyond.values, beyond.weights);
    const double error = misfit(law, beyond.values, beyond.weights);
    if (!(error < least) || !(law.scale > 0)) continue;
    least = error;
    best = {true, over_logs, index, std::log(beyond_share()), law};
    if (error < kGoodFit) break;
  }
  return best;
}

class TailedLaw final : public Law {
 public:
  TailedLaw(Atoms atoms, const Tail& low, const Tail& high)
      : atoms_(std::move(atoms)), low_(low), high_(high), from_zero_(atoms_.value(0) >= 0) {
    if (low_.fitted) low_end_ = z_of_log_lower(low_.log_share);
    if (high_.fitted) high_start_ = z_of_log_upper(high_.log_share);
  }

  double quantile(double z) const override {
    if (low_.fitted && z < low_end_) {
      const double excess = low_.law.excess(low_.log_share - log_lower(z));
      const double threshold = atoms_.value(low_.index);
      if (low_.over_logs) return threshold * std::exp(-excess);
      return from_zero_ ? std::max(threshold - excess, 0.0) : threshold - excess;
    }
    if (high_.fitted && z > high_start_)
      return atoms_.value(high_.index) + high_.law.excess(high_.log_share - log_upper(z));
    return atoms_.quantile(z);
  }

  double log_odds(double x) const override { return inner(x) ? atoms_.log_odds(x) : outer(x); }
  double log_odds_below(double x) const override {
    if (low_.fitted && x == atoms_.value(low_.index)) return low_end_;
    return inner(x) ? atoms_.log_odds_below(x) : outer(x);
  }

  std::vector<Piece> pieces() const override {
    std::vector<Piece> pieces;
    if (low_.fitted) pieces.push_back({low_end_, false});
    const std::size_t last = high_.fitted ? high_.index : atoms_.size() - 1;
    for (std::size_t i = low_.index; i <= last; ++i)
      pieces.push_back({high_.fitted && i == last ? high_start_ : atoms_.end(i), true});
    if (high_.fitted) pieces.push_back({kInfinity, false});
    return pieces;
  }

 private:
  bool inner(double x) const {
    return !(low_.fitted && x < atoms_.value(low_.index)) && !(high_.fitted && x > atoms_.value(high_.index));
  }
  double outer(double x) const {
    if (low_.fitted && x < atoms_.value(low_.index)) {
      const double threshold = atoms_.value(low_.index);
      if (from_zero_ && (low_.over_logs ? x <= 0 : x < 0)) return -kInfinity;
      return z_of_log_lower(low_.log_share - low_.law.depth(low_.over_logs ? std::log(threshold / x) : threshold - x));
    }
    return z_of_log_upper(high_.log_share - high_.law.depth(x - atoms_.value(high_.index)));
  }

  Atoms atoms_;
  Tail low_;
  Tail high_;
  bool from_zero_;
  double low_end_ = -kInfinity;
  double high_start_ = kInfinity;
};

}  // namespace

LawPtr tailed_law(const SampleSet& samples, bool lower, bool upper) {
  Atoms atoms(samples);
  if (atoms.size() < kFewestValues) return samples_law(samples);
  const Tail low = lower ? choose_tail(atoms, false) : Tail{};
  const Tail high = upper ? choose_tail(atoms, true) : Tail{};
  if (!low.fitted && !high.fitted) return samples_law(samples);
  return std::make_shared<TailedLaw>(std::move(atoms), low, high);
}

}  // namespace foretask::distribution
