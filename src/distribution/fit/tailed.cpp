// SPDX-License-Identifier: Apache-2.0
// Samples, and mixtures, with fitted tails.
#include "distribution/fit/tailed.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "distribution/family/atoms.hpp"
#include "distribution/family/log_odds.hpp"
#include "distribution/fit/tail_fit.hpp"

namespace foretask::distribution {
namespace {

class Tailed final : public Univariate {
 public:
  Tailed(Atoms atoms, const std::optional<Tail>& low, const std::optional<Tail>& high)
      : atoms_(std::move(atoms)), low_(low), high_(high) {
    if (low_) low_end_ = z_of_log_lower(low_->log_share);
    if (high_) high_start_ = z_of_log_upper(high_->log_share);
  }

  double quantile(double z) const override {
    if (low_ && z < low_end_) return low_->value(log_lower(z));
    if (high_ && z > high_start_) return high_->value(log_upper(z));
    return atoms_.quantile(z);
  }

  double log_odds(double x) const override {
    if (low_ && x < inner_low()) return outer_low(x);
    if (high_ && x > inner_high()) return outer_high(x);
    return atoms_.log_odds(x);
  }
  double log_odds_below(double x) const override {
    if (low_ && x <= inner_low()) return outer_low(x);
    if (high_ && x > inner_high()) return outer_high(x);
    return atoms_.log_odds_below(x);
  }

  std::vector<Piece> pieces() const override {
    std::vector<Piece> pieces;
    if (low_) pieces.push_back({low_end_, false});
    const std::size_t last = high_ ? high_->index : atoms_.size() - 1;
    for (std::size_t i = low_ ? low_->index : 0; i <= last; ++i)
      pieces.push_back({high_ && i == last ? high_start_ : atoms_.end(i), true});
    if (high_) pieces.push_back({kInfinity, false});
    return pieces;
  }

 private:
  // Between a threshold and its atom there is nothing.
  double inner_low() const { return atoms_.value(low_->index); }
  double inner_high() const { return atoms_.value(high_->index); }
  double outer_low(double x) const { return x >= low_->threshold ? low_end_ : z_of_log_lower(low_->log_beyond(x)); }
  double outer_high(double x) const {
    return x <= high_->threshold ? high_start_ : z_of_log_upper(high_->log_beyond(x));
  }

  Atoms atoms_;
  std::optional<Tail> low_;
  std::optional<Tail> high_;
  double low_end_ = -kInfinity;
  double high_start_ = kInfinity;
};

// Another distribution, whose lower end is a tail.
class LowerTailed final : public Univariate {
 public:
  // `tail` begins where `distribution` has that share below.
  LowerTailed(UnivariatePtr dist, const Tail& tail) : dist_(std::move(dist)), tail_(tail) {
    join_ = dist_->log_odds(tail_.threshold);
    tail_.log_share = log_lower(join_);
  }
  double quantile(double z) const override {
    return z < join_ ? tail_.value(log_lower(z)) : std::max(dist_->quantile(z), tail_.threshold);
  }
  double log_odds(double x) const override {
    return x < tail_.threshold ? z_of_log_lower(tail_.log_beyond(x)) : dist_->log_odds(x);
  }
  std::vector<Piece> pieces() const override {
    std::vector<Piece> pieces{{join_, false}};
    for (const Piece& piece : dist_->pieces())
      if (piece.end > join_) pieces.push_back(piece);
    return pieces;
  }

 private:
  UnivariatePtr dist_;
  Tail tail_;
  double join_ = 0;
};

}  // namespace

TailedSamples with_tails(const SampleSet& samples, bool lower, bool upper) {
  Atoms atoms(samples);
  auto low = lower ? fit_tail(atoms, false) : std::nullopt;
  const auto high = upper ? fit_tail(atoms, true) : std::nullopt;
  if (low && high && low->index > high->index) low.reset();  // of few values, many of them equal
  TailedSamples made;
  made.lower = low.has_value();
  made.upper = high.has_value();
  made.rests_on_one = (low && low->rests_on_one) || (high && high->rests_on_one);
  if (!low && !high)
    made.dist = empirical(samples);
  else
    made.dist = std::make_shared<Tailed>(std::move(atoms), low, high);
  return made;
}

UnivariatePtr with_lower_tail(UnivariatePtr dist, const SampleSet& samples) {
  const auto tail = fit_tail(Atoms(samples), false);
  return tail ? std::make_shared<LowerTailed>(std::move(dist), *tail) : nullptr;
}

}  // namespace foretask::distribution
