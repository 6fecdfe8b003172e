// SPDX-License-Identifier: Apache-2.0
// Samples, and mixtures, with fitted tails.
#include "distribution/fit/tailed.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "distribution/family/empirical.hpp"
#include "distribution/family/log_odds.hpp"
#include "distribution/fit/tail_fit.hpp"

namespace foretask::distribution {
namespace {

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
  double log_odds(double x) const override {
    if (low_ && x < low_->inner) return outer_low(x);
    if (high_ && x > high_->inner) return outer_high(x);
    return body_->log_odds(x);
  }
  double log_odds_below(double x) const override {
    if (low_ && x <= low_->inner) return outer_low(x);
    if (high_ && x > high_->inner) return outer_high(x);
    return body_->log_odds_below(x);
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
