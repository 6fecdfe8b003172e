// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/empirical.hpp"

#include <algorithm>
#include <utility>

#include "distribution/family/log_odds.hpp"
#include "statistics/survival.hpp"

namespace foretask::distribution {

SampleSet censored_samples(const std::vector<double>& values, const std::vector<std::uint8_t>& ended) {
  statistics::ProductLimit estimate = statistics::product_limit(values, ended);
  SampleSet set{std::move(estimate.times), std::move(estimate.probabilities), estimate.beyond};
  // What is beyond all that ended is put at the longest that was cut short.
  if (estimate.beyond > 0) {
    const double last = *std::max_element(values.begin(), values.end());
    if (set.values.back() < last) {
      set.values.push_back(last);
      set.weights.push_back(0);
    }
    set.weights.back() += estimate.beyond;
  }
  const auto all_ended = static_cast<double>(std::count_if(ended.begin(), ended.end(), [](auto e) { return e != 0; }));
  for (double& weight : set.weights) weight *= all_ended;
  return set;
}

Atoms::Atoms(const SampleSet& samples) {
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    const double mass = samples.weights.empty() ? 1 : samples.weights[i];
    if (!(mass > 0)) continue;
    if (values_.empty() || samples.values[i] > values_.back()) {
      values_.push_back(samples.values[i]);
      masses_.push_back(0);
    }
    masses_.back() += mass;
  }
  // Of weights that are all 0, or not numbers, the middle one is as good as any.
  if (values_.empty()) {
    values_.push_back(samples.values.empty() ? 0 : samples.values[samples.values.size() / 2]);
    masses_.push_back(1);
  }
  const std::size_t n = values_.size();
  shares_to_.resize(n);
  shares_above_.resize(n);
  ends_.resize(n);
  double below = 0;
  double above = 0;
  for (std::size_t i = 0; i < n; ++i) shares_to_[i] = below += masses_[i];
  for (std::size_t i = n; i-- > 0; above += masses_[i]) shares_above_[i] = above;
  total_ = below;
  for (std::size_t i = 0; i < n; ++i) {
    ends_[i] = z_of(shares_to_[i], shares_above_[i]);
    shares_to_[i] /= below;
    shares_above_[i] /= below;
  }
}

double Atoms::quantile(double z) const {
  const auto at = std::lower_bound(ends_.begin(), ends_.end(), z);
  return values_[std::min(static_cast<std::size_t>(at - ends_.begin()), values_.size() - 1)];
}

double Atoms::odds(double x, bool below) const {
  const auto after = below ? std::ranges::lower_bound(values_, x) : std::ranges::upper_bound(values_, x);
  return after == values_.begin() ? -kInfinity : ends_[static_cast<std::size_t>(after - values_.begin()) - 1];
}

std::vector<Piece> Atoms::pieces() const {
  std::vector<Piece> pieces;
  pieces.reserve(ends_.size());
  for (const double end : ends_) pieces.push_back({end, true});
  return pieces;
}

UnivariatePtr empirical(const SampleSet& samples) { return std::make_shared<const Atoms>(samples); }

}  // namespace foretask::distribution
