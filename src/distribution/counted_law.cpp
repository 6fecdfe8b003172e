// SPDX-License-Identifier: Apache-2.0
#include "distribution/counted_law.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "distribution/family_law.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/tail_condition.hpp"

namespace foretask::distribution {
namespace {

constexpr double kNodeStep = 0.25;
constexpr double kNodeEnd = 34;
// The noise is averaged over where a sum's time still rises with the number at 6 standard deviations of it, and where a
// normal distribution with a correction has the sum's skewness.
constexpr double kLittleNoise = 1.3;  // standard deviation by mean of one
constexpr double kLittleSkewness = 0.3;
constexpr double kStraight = 0.02;  // skewness that a normal distribution with a correction has as well

class CountedLaw final : public Law {
 public:
  CountedLaw(LawPtr times, double from, const Cumulants& body)
      : times_(std::move(times)),
        condition_(times_->log_odds_below(from - 0.5)),
        from_(from),
        sign_(body[0] < 0 ? -1 : 1) {
    mean_ = sign_ * body[0];
    sd_ = std::sqrt(body[1]);
    skewness_ = sign_ * body[2] / (body[1] * sd_);
    const std::vector<Piece> pieces = times_->pieces();
    const bool atoms = std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.atom; });
    const double middle = count_at(0);
    const double counts = mean_ * (count_at(1.7) - count_at(-1.7)) / 2;  // about a standard deviation
    by_noise_ = !atoms && sd_ < kLittleNoise * mean_ && std::fabs(skewness_) < kLittleSkewness * std::sqrt(from_);
    if (atoms) {
      add_atoms(pieces);
    } else {
      for (double z = -kNodeEnd; z <= kNodeEnd; z += kNodeStep) {
        const double mass = kNodeStep * weight(z);
        if (by_noise_)
          nodes_.push_back({.value = standard_->quantile(z), .mass = mass});
        else
          nodes_.push_back(count_node(count_at(z), mass, count_at(z + kNodeStep / 2) - count_at(z - kNodeStep / 2)));
      }
    }
    spread_ = std::hypot(counts, sd_ * std::sqrt(middle));
    middle_ = mean_ * middle;
  }

  double log_odds(double x) const override { return sign_ > 0 ? odds(x) : -odds(-x); }

  double quantile(double z) const override {
    if (std::isinf(z)) return z < 0 ? (sign_ > 0 ? least() : -kInfinity) : (sign_ > 0 ? kInfinity : -least());
    return sign_ > 0 ? inverse(z) : -inverse(-z);
  }

 private:
  struct Node {
    double value = 0;  // a count, or the noise in standard deviations
    double mass = 0;
    // Of the sum of a count's parts; nullptr: near enough to a normal distribution.
    double spread = 0;
    double skewness = 0;
    LawPtr skewed{};
  };

  [[nodiscard]] double least() const { return skewness_ > 0 && lowest_is_zero() ? 0 : -kInfinity; }
  // A gamma body: its sums cannot fall below 0.
  [[nodiscard]] bool lowest_is_zero() const { return std::fabs(skewness_ * mean_ - 2 * sd_) <= 1e-6 * sd_; }

  [[nodiscard]] double count_at(double z) const { return std::max(from_, times_->quantile(condition_.outer(z))); }

  void add_atoms(const std::vector<Piece>& pieces) {
    double before = -kInfinity;
    for (const Piece& piece : pieces) {
      const double count = std::round(times_->quantile(piece.end));
      const double z = condition_.inner(piece.end);
      const double mass = mass_between(before, z);
      if (count >= from_ && mass > 0) {
        if (!nodes_.empty() && nodes_.back().value == count)
          nodes_.back().mass += mass;
        else
          nodes_.push_back(count_node(count, mass, 0));
      }
      before = z;
    }
  }

  // `width` of the counts that it stands for.
  [[nodiscard]] Node count_node(double count, double mass, double width) const {
    Node node{.value = count, .mass = mass};
    node.spread = std::sqrt(count * sd_ * sd_ + mean_ * mean_ * width * width / 12);
    node.skewness = count * skewness_ * std::pow(sd_ / node.spread, 3);
    if (!(std::fabs(node.skewness) < kStraight))
      node.skewed = make_family(Family::gamma, 4 / (node.skewness * node.skewness), 1);
    return node;
  }

  // Of the mirrored sum where the body's mean is negative.
  [[nodiscard]] double odds(double x) const {
    double f = 0;
    double rest = 0;
    for (const Node& node : nodes_) {
      const double z = by_noise_ ? given_noise(x, node.value) : given_count(x, node);
      f += node.mass * lower(z);
      rest += node.mass * upper(z);
    }
    return z_of(f, rest);
  }

  // n mean + sqrt(n) sd g + skewness sd (g^2 - 1) / 6 = x, solved for sqrt(n): that many or fewer are there.
  [[nodiscard]] double given_noise(double x, double g) const {
    const double left = x - skewness_ * sd_ * (g * g - 1) / 6;
    const double under = sd_ * sd_ * g * g + 4 * mean_ * left;
    if (!(under >= 0)) return -kInfinity;
    const double root = (-sd_ * g + std::sqrt(under)) / (2 * mean_);
    if (!(root > 0)) return -kInfinity;
    return condition_.inner(times_->log_odds(root * root));
  }

  [[nodiscard]] double given_count(double x, const Node& node) const {
    const double t = (x - node.value * mean_) / node.spread;
    const double skewness = node.skewness;
    if (node.skewed == nullptr) {
      const double within = std::clamp(t, -1 / kStraight, 1 / kStraight);  // where the correction is one
      return standard_->log_odds(t - skewness * (within * within - 1) / 6);
    }
    const double shape = 4 / (skewness * skewness);
    const double from_end = shape + (skewness > 0 ? t : -t) * std::sqrt(shape);
    if (!(from_end > 0)) return skewness > 0 ? -kInfinity : kInfinity;
    const double z = node.skewed->log_odds(from_end);
    return skewness > 0 ? z : -z;
  }

  [[nodiscard]] double inverse(double z) const {
    double low = middle_ - spread_;
    double high = middle_ + spread_;
    double step = spread_;
    for (int i = 0; i < 1100 && odds(low) > z; ++i) low -= step *= 2;
    step = spread_;
    for (int i = 0; i < 1100 && odds(high) < z; ++i) high += step *= 2;
    for (int i = 0; i < 200 && high - low > 1e-13 * (std::fabs(low) + std::fabs(high)); ++i) {
      const double x = low + (high - low) / 2;
      (odds(x) < z ? low : high) = x;
    }
    return high;
  }

  LawPtr times_;
  TailCondition condition_;  // N is from_ or more
  double from_;
  double sign_;
  double mean_ = 0;
  double sd_ = 0;
  double skewness_ = 0;
  double middle_ = 0;
  double spread_ = 1;
  bool by_noise_ = false;
  LawPtr standard_ = make_family(Family::normal, 0, 1);
  std::vector<Node> nodes_;
};

}  // namespace

LawPtr counted_law(LawPtr times, double from, const Cumulants& body) {
  if (!(body[1] > 0) || !std::isfinite(body[0]) || !std::isfinite(body[1]) || !std::isfinite(body[2])) return nullptr;
  return std::make_shared<const CountedLaw>(std::move(times), from, body);
}

}  // namespace foretask::distribution
