// SPDX-License-Identifier: Apache-2.0
// The step function of samples: sorted distinct values with their masses, summed from both ends so that both tails keep
// their digits. Immutable, thread safe.
#pragma once

#include <cstddef>
#include <vector>

#include "distribution/family/empirical.hpp"
#include "distribution/family/univariate.hpp"

namespace foretask::distribution {

class Atoms final : public Univariate {
 public:
  explicit Atoms(const SampleSet& samples);
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] double value(std::size_t i) const noexcept { return values_[i]; }
  [[nodiscard]] double mass(std::size_t i) const noexcept { return masses_[i]; }  // weights as they were given
  [[nodiscard]] double total() const noexcept { return total_; }                  // of the weights
  // Mass at or below value(i), and above it, as a share of all.
  [[nodiscard]] double share_to(std::size_t i) const noexcept { return shares_to_[i]; }
  [[nodiscard]] double share_above(std::size_t i) const noexcept { return shares_above_[i]; }

  [[nodiscard]] double quantile(double z) const override;
  [[nodiscard]] double log_odds(double x) const override;
  [[nodiscard]] double log_odds_below(double x) const override;
  [[nodiscard]] std::vector<Piece> pieces() const override;

 private:
  std::vector<double> values_;
  std::vector<double> masses_;
  std::vector<double> ends_;  // log odds of P(X <= value)
  std::vector<double> shares_to_;
  std::vector<double> shares_above_;
  double total_ = 0;
};

}  // namespace foretask::distribution
