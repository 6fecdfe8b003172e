// SPDX-License-Identifier: Apache-2.0
// Samples, and mixtures, with fitted tails.
#include "distribution/fit/tailed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "distribution/family/log_odds.hpp"

namespace foretask::distribution {
namespace {

// The distribution of what goes beyond a threshold: P(X - t > y | X > t) = (1 + shape y / scale)^(-1/shape).
struct GeneralizedPareto {
  double shape = 0;  // > 0: heavy; 0: exponential; < 0: it ends at -scale/shape
  double scale = 1;

  // Excess that is gone beyond with probability exp(-depth).
  [[nodiscard]] double excess(double depth) const noexcept {
    if (std::fabs(shape * depth) < 1e-12) return scale * depth;
    return scale * std::expm1(shape * depth) / shape;
  }
  // -log P(excess > y); infinity beyond the end.
  [[nodiscard]] double depth(double y) const noexcept {
    const double ratio = y / scale;
    if (std::fabs(shape * ratio) < 1e-12) return ratio;
    return shape * ratio <= -1 ? kInfinity : std::log1p(shape * ratio) / shape;
  }
};

// What goes beyond a threshold: at least 0, not all 0.
struct Excesses {
  std::vector<double> values;  // sorted
  std::vector<double> weights;
};

// Likelihood over theta = -shape/scale with the shape that is best for it, and what else follows from theta.
class Profile {
 public:
  explicit Profile(const Excesses& excesses) : x_(excesses.values), weights_(excesses.weights) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      total_ += weights_[i];
      mean_ += weights_[i] * x_[i];
    }
    mean_ /= total_;
    // Weights that are shares, not counts, stand for as many as there are values.
    count_ = std::max(total_, static_cast<double>(x_.size()));
  }

  double count() const { return count_; }
  double mean() const { return mean_; }

  double first_quartile() const {
    double below = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      below += weights_[i];
      if (below >= total_ / 4 && x_[i] > 0) return x_[i];
    }
    return x_.back();
  }

  double shape(double theta) const {
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) sum += weights_[i] * std::log1p(-theta * x_[i]);
    return sum / total_;
  }

  double log_likelihood(double theta) const {
    const double shape_here = shape(theta);
    const double scale = is_exponential(theta) ? mean_ : -shape_here / theta;
    return -count_ * (std::log(scale) + shape_here + 1);
  }

  // So near 0 that shape / theta has no digits.
  bool is_exponential(double theta) const { return std::fabs(theta) * mean_ < 1e-9; }

 private:
  const std::vector<double>& x_;
  const std::vector<double>& weights_;
  double total_ = 0;
  double mean_ = 0;
  double count_ = 0;
};

// By the quasi-Bayesian mean over the profile likelihood (Zhang and Stephens 2009), which never fails, drawn towards
// the exponential distribution (shape 0, which most tails tend to) as far as the Bayesian information criterion has it.
// O(n) times 50.
GeneralizedPareto fit_generalized_pareto(const Excesses& excesses) {
  const Profile profile(excesses);
  const auto points = static_cast<std::size_t>(20 + std::sqrt(profile.count()));
  const double quartile = profile.first_quartile();
  std::vector<double> theta(points);
  std::vector<double> likelihood(points);
  for (std::size_t j = 0; j < points; ++j) {
    const double ratio = static_cast<double>(points) / (static_cast<double>(j) + 0.5);
    theta[j] = 1 / excesses.values.back() + (1 - std::sqrt(ratio)) / (3 * quartile);
    likelihood[j] = profile.log_likelihood(theta[j]);
  }
  const double best = *std::max_element(likelihood.begin(), likelihood.end());
  double sum = 0;
  double mean_theta = 0;
  for (std::size_t j = 0; j < points; ++j) {
    const double share = std::exp(likelihood[j] - best);
    sum += share;
    mean_theta += share * theta[j];
  }
  mean_theta /= sum;
  if (profile.is_exponential(mean_theta)) return {0, profile.mean()};
  // How likely the exponential distribution is beside this one: one parameter less.
  const double gain = profile.log_likelihood(mean_theta) - profile.log_likelihood(0) - std::log(profile.count()) / 2;
  const double trust = 1 / (1 + std::exp(-gain));
  const double shape = profile.shape(mean_theta);
  return {trust * shape, trust * (-shape / mean_theta) + (1 - trust) * profile.mean()};
}

// The outermost of measured times as a generalized Pareto distribution: where it begins, and how well one can know it.
struct Tail {
  bool upper = true;
  // A lower tail of positive times is fitted over log(threshold / x): it ends at 0, or before, and what begins there
  // like a power of x is an exponential tail.
  bool over_logs = false;
  bool from_zero = false;     // a lower tail that is not over logs ends at 0
  bool rests_on_one = false;  // without its largest value it is another
  double inner = 0;           // the value beyond which it is
  double threshold = 0;       // where it begins: there, or half a step of a coarse timer further out
  double log_share = 0;       // log of the mass beyond
  GeneralizedPareto dist;

  // The value that is gone beyond with a probability of e^log_beyond <= e^log_share, and the other way round.
  [[nodiscard]] double value(double log_beyond) const noexcept;
  [[nodiscard]] double log_beyond(double x) const noexcept;
};

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

GeneralizedPareto exponential(const Excesses& excesses) { return {0, Profile(excesses).mean()}; }

// Whether one value, the largest, makes the distribution what it is.
bool rests_on_one(Excesses excesses, const GeneralizedPareto& dist, bool small) {
  if (excesses.weights.back() >= 1.5) return false;
  excesses.values.pop_back();
  excesses.weights.pop_back();
  if (small) return dist.scale > kScaleOfOne * exponential(excesses).scale;
  return std::fabs(fit_generalized_pareto(excesses).shape - dist.shape) > kShapeOfOne;
}

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

// Of all values 200 at least: the share of 10 % to 2.5 % that fits best. Of fewer: an exponential tail over the
// outermost tenth, 5 values or less than half of them at least, which needs few. Equal values are spread half way to
// their neighbours. Nothing where there are fewer than 7 values, or fewer than 3 different ones beyond every threshold.
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
    const GeneralizedPareto dist = small ? exponential(beyond) : fit_generalized_pareto(beyond);
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

// Another distribution, but beyond the thresholds of the tails.
class Tailed final : public Univariate {
 public:
  Tailed(UnivariatePtr body, const std::optional<Tail>& low, const std::optional<Tail>& high)
      : body_(std::move(body)), low_(low), high_(high) {
    if (low_) low_end_ = z_of_log_lower(low_->log_share);
    if (high_) high_start_ = z_of_log_upper(high_->log_share);
  }

  double quantile(double z) const override {
    if (low_ && z < low_end_) return low_->value(log_lower(z));
    if (high_ && z > high_start_) return high_->value(log_upper(z));
    return low_ ? std::max(body_->quantile(z), low_->threshold) : body_->quantile(z);
  }

  // Between a threshold and the value within there is nothing.
  double odds(double x, bool below) const override {
    if (low_ && (x < low_->inner || (below && x == low_->inner))) return outer_low(x);
    if (high_ && x > high_->inner) return outer_high(x);
    return body_->odds(x, below);
  }

  std::vector<Piece> pieces() const override {
    constexpr double kSame = 1e-9;
    std::vector<Piece> pieces;
    if (low_) pieces.push_back({low_end_, false});
    for (const Piece& piece : body_->pieces()) {
      if (piece.end <= low_end_ + kSame) continue;
      if (piece.end < high_start_ - kSame) {
        pieces.push_back(piece);
        continue;
      }
      pieces.push_back({high_start_, piece.atom});
      break;
    }
    if (high_) pieces.push_back({kInfinity, false});
    return pieces;
  }

 private:
  double outer_low(double x) const { return x >= low_->threshold ? low_end_ : z_of_log_lower(low_->log_beyond(x)); }
  double outer_high(double x) const {
    return x <= high_->threshold ? high_start_ : z_of_log_upper(high_->log_beyond(x));
  }

  UnivariatePtr body_;
  std::optional<Tail> low_;
  std::optional<Tail> high_;
  double low_end_ = -kInfinity;
  double high_start_ = kInfinity;
};

}  // namespace

TailedSamples with_tails(const SampleSet& samples, bool lower, bool upper) {
  const auto atoms = std::make_shared<const Atoms>(samples);
  auto low = lower ? fit_tail(*atoms, false) : std::nullopt;
  const auto high = upper ? fit_tail(*atoms, true) : std::nullopt;
  if (low && high && low->inner > high->inner) low.reset();  // of few values, many of them equal
  TailedSamples made;
  made.lower = low.has_value();
  made.upper = high.has_value();
  made.rests_on_one = (low && low->rests_on_one) || (high && high->rests_on_one);
  made.dist = atoms;
  if (low || high) made.dist = std::make_shared<const Tailed>(atoms, low, high);
  return made;
}

UnivariatePtr with_lower_tail(UnivariatePtr dist, const SampleSet& samples) {
  auto tail = fit_tail(Atoms(samples), false);
  if (!tail) return nullptr;
  tail->inner = tail->threshold;
  tail->log_share = log_lower(dist->log_odds(tail->threshold));
  return std::make_shared<const Tailed>(std::move(dist), tail, std::nullopt);
}

}  // namespace foretask::distribution
