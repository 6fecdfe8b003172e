// SPDX-License-Identifier: Apache-2.0
// Measured times as distributions: the step function that they are.
#pragma once

#include <cstdint>
#include <vector>

#include "distribution/family/univariate.hpp"
#include "foretask/analysis/sample_sketch.hpp"

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

// O(n log n) each. All values finite, one at least. Weights are counts: they sum to as many values as are known, of
// censored ones to those that ended.
[[nodiscard]] SampleSet plain_samples(std::vector<double> values);
// Product limit (Kaplan and Meier 1958): ended[i] is 0 where values[i] is a lower bound. One at least has ended. Of
// equal values those that ended come first, as is the custom.
[[nodiscard]] SampleSet censored_samples(const std::vector<double>& values, const std::vector<std::uint8_t>& ended);
[[nodiscard]] SampleSet sketch_samples(const std::vector<analysis::SketchCentroid>& centroids);

// The step function: an atom a distinct value. quantile() and log_odds() take O(log n).
[[nodiscard]] UnivariatePtr empirical(const SampleSet& samples);

}  // namespace foretask::distribution
