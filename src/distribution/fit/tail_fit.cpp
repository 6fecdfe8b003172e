// SPDX-License-Identifier: Apache-2.0
#include "distribution/fit/tail_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace foretask::distribution {
namespace {

constexpr double kFewestExcesses = 20;      // beyond a threshold, for a shape of their own
constexpr double kOfSmall = 5;              // for an exponential tail; less where that is half of all, but
constexpr std::size_t kFewestDistinct = 3;  // at least so many different ones beyond any threshold
// Shares of the samples beyond the thresholds that are tried.
constexpr std::array<double, 5> kShares{0.1, 0.07, 0.05, 0.035, 0.025};
// Cramér and von Mises statistic of a fitted generalized Pareto distribution that one in ten exceeds (Choulakian and
// Stephens 2001, at shape 0).
constexpr double kGoodFit = 0.124;
constexpr double kMostCopies = 16;
// A shape, or of an exponential tail a scale, that one value changes by so much rests on it.
constexpr double kShapeOfOne = 0.5;
constexpr double kScaleOfOne = 3;

double cube(double x) { return x * x * x; }

struct Excesses {
  std::vector<double> values;  // sorted
  std::vector<double> weights;
};

// n times the integral of (empirical - fitted)^2 over the fitted probability.
double misfit(const GeneralizedPareto& dist, const Excesses& excesses) {
  double total = 0;
  for (const double weight : excesses.weights) total += weight;
  double integral = 0;
  double step = 0;
  double from = 0;
  double sum = 0;
  for (std::size_t i = 0; i <= excesses.values.size(); ++i) {
    const double to = i < excesses.values.size() ? -std::expm1(-dist.depth(excesses.values[i])) : 1;
    integral += (cube(to - step) - cube(from - step)) / 3;
    if (i == excesses.values.size()) break;
    from = to;
    sum += excesses.weights[i];
    step = sum / total;
  }
  return std::max(total, static_cast<double>(excesses.values.size())) * integral;
}

// One side of the atoms, seen from its threshold.
class Side {
 public:
  Side(const Atoms& atoms, bool upper) : atoms_(atoms), upper_(upper), over_logs_(!upper && atoms.value(0) > 0) {}

  [[nodiscard]] bool over_logs() const { return over_logs_; }
  [[nodiscard]] double share_beyond(std::size_t index) const {
    return upper_ ? atoms_.share_above(index) : index == 0 ? 0 : atoms_.share_to(index - 1);
  }
  // The outermost atom with at least that share beyond it; nothing where it would be all.
  [[nodiscard]] std::optional<std::size_t> with_share(double share) const {
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      const std::size_t index = upper_ ? atoms_.size() - 1 - i : i;
      if (share_beyond(index) >= share) return index;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::size_t atoms_beyond(std::size_t index) const { return upper_ ? atoms_.size() - 1 - index : index; }

  // Of an atom, the end that is farther from the middle: half a step of a timer that is coarse beyond the value.
  [[nodiscard]] double edge(std::size_t index) const {
    return tied(index) ? end_of(index, upper_) : atoms_.value(index);
  }

  [[nodiscard]] Excesses beyond(std::size_t index) const {
    Excesses found;
    const double threshold = edge(index);
    const auto add = [&](double x, double weight) {
      found.values.push_back(over_logs_ ? std::log(threshold / x) : std::fabs(x - threshold));
      found.weights.push_back(weight);
    };
    for (std::size_t i = 1; i <= atoms_beyond(index); ++i) {
      const std::size_t at = upper_ ? index + i : index - i;
      if (!tied(at)) {
        add(atoms_.value(at), atoms_.mass(at));
        continue;
      }
      const double from = end_of(at, !upper_);
      const double to = end_of(at, upper_);
      const double copies = std::min(std::round(atoms_.mass(at)), kMostCopies);
      for (double copy = 0.5; copy < copies; ++copy) add(from + (to - from) * copy / copies, atoms_.mass(at) / copies);
    }
    return found;
  }

 private:
  [[nodiscard]] bool tied(std::size_t index) const { return atoms_.mass(index) >= 1.5; }

  // Half way to the neighbour above or below. The outermost go as far out as in, a positive value not down to 0.
  [[nodiscard]] double end_of(std::size_t index, bool above) const {
    const double value = atoms_.value(index);
    const std::size_t last = atoms_.size() - 1;
    const bool outermost = above ? index == last : index == 0;
    const bool neighbour_above = above != outermost;
    const double gap = neighbour_above ? atoms_.value(index + 1) - value : value - atoms_.value(index - 1);
    const double end = above ? value + gap / 2 : value - gap / 2;
    return !above && value >= 0 ? std::max(end, value / 2) : end;
  }

  const Atoms& atoms_;
  bool upper_;
  bool over_logs_;
};

GeneralizedPareto exponential(const Excesses& excesses) {
  double total = 0;
  double sum = 0;
  for (std::size_t i = 0; i < excesses.values.size(); ++i) {
    total += excesses.weights[i];
    sum += excesses.weights[i] * excesses.values[i];
  }
  return {0, sum / total};
}

// Whether one value, the largest, makes the distribution what it is.
bool rests_on_one(Excesses excesses, const GeneralizedPareto& dist, bool small) {
  if (excesses.weights.back() >= 1.5) return false;
  excesses.values.pop_back();
  excesses.weights.pop_back();
  if (small) return dist.scale > kScaleOfOne * exponential(excesses).scale;
  return std::fabs(fit_generalized_pareto(excesses.values, excesses.weights).shape - dist.shape) > kShapeOfOne;
}

}  // namespace

double Tail::value(double log_beyond) const noexcept {
  const double excess = dist.excess(log_share - log_beyond);
  if (upper) return threshold + excess;
  if (over_logs) return threshold * std::exp(-excess);
  return from_zero ? std::max(threshold - excess, 0.0) : threshold - excess;
}

double Tail::log_beyond(double x) const noexcept {
  if (upper) return log_share - dist.depth(x - threshold);
  if (over_logs ? x <= 0 : from_zero && x < 0) return -kInfinity;
  return log_share - dist.depth(over_logs ? std::log(threshold / x) : threshold - x);
}

std::optional<Tail> fit_tail(const Atoms& atoms, bool upper) {
  const Side side(atoms, upper);
  const double count = atoms.total();
  const bool small = count * kShares.front() < kFewestExcesses;
  const double of_small = std::max(std::min(kOfSmall, std::floor((count - 1) / 2)), count * kShares.front());
  std::optional<Tail> best;
  Excesses of_best;
  double least = kInfinity;
  for (const double share :
       small ? std::vector{of_small / count * (1 - 1e-9)} : std::vector(kShares.begin(), kShares.end())) {
    const auto index = side.with_share(share);
    if (!index || side.atoms_beyond(*index) < kFewestDistinct) continue;
    const double beyond_share = side.share_beyond(*index);
    if (!small && beyond_share * count < kFewestExcesses * (1 - 1e-9)) break;
    // One value that has most of the mass is no tail that goes on.
    if (beyond_share > 2 * share) continue;
    Excesses beyond = side.beyond(*index);
    const GeneralizedPareto dist = small ? exponential(beyond) : fit_generalized_pareto(beyond.values, beyond.weights);
    const double error = small ? 0 : misfit(dist, beyond);
    if (!(error < least) || !(dist.scale > 0)) continue;
    least = error;
    best = Tail{.upper = upper,
                .over_logs = side.over_logs(),
                .from_zero = !upper && atoms.value(0) >= 0,
                .inner = atoms.value(*index),
                .threshold = side.edge(*index),
                .log_share = std::log(beyond_share),
                .dist = dist};
    of_best = std::move(beyond);
    if (error < kGoodFit) break;
  }
  if (best) best->rests_on_one = rests_on_one(std::move(of_best), best->dist, small);
  return best;
}

}  // namespace foretask::distribution
