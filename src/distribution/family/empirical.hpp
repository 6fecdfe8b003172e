// SPDX-License-Identifier: Apache-2.0
// Measured times as distributions: the step function that they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "distribution/family/univariate.hpp"

namespace foretask::distribution {

// Measured times as they came.
struct SampleData {
  std::vector<double> values;       // sorted where all ended
  std::vector<std::uint8_t> ended;  // empty: all
  std::vector<double> weights;      // of a sketch's centroids; empty: 1 each
  std::uint64_t count = 0;          // values they stand for
  std::uint64_t hash = 0;           // of all of it
};

struct SampleSet {
  std::vector<double> values;   // sorted, finite, at least one; the same value may come several times
  std::vector<double> weights;  // empty: all the same; otherwise one a value, >= 0, some above 0
  // The last ones of censored samples did not end: their share of all is at the largest value, where it is at least.
  double unended_share = 0;
};

// O(n log n). All values finite, one at least. Weights are counts: they sum to as many values as are known, of
// censored ones to those that ended.
// Product limit (Kaplan and Meier 1958): ended[i] is 0 where values[i] is a lower bound. One at least has ended. Of
// equal values those that ended come first, as is the custom.
[[nodiscard]] SampleSet censored_samples(const std::vector<double>& values, const std::vector<std::uint8_t>& ended);

// The step function of samples: sorted distinct values with their masses, summed from both ends so that both tails keep
// their digits. quantile() and log_odds() take O(log n). Immutable, thread safe.
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
  [[nodiscard]] double odds(double x, bool below) const override;
  [[nodiscard]] std::vector<Piece> pieces() const override;

 private:
  std::vector<double> values_;
  std::vector<double> masses_;
  std::vector<double> ends_;  // log odds of P(X <= value)
  std::vector<double> shares_to_;
  std::vector<double> shares_above_;
  double total_ = 0;
};

[[nodiscard]] UnivariatePtr empirical(const SampleSet& samples);

}  // namespace foretask::distribution
