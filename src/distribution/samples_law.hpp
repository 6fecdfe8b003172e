// SPDX-License-Identifier: Apache-2.0
// Measured times as laws: the step function that they are, and the same with fitted tails.
#pragma once

#include <cstdint>
#include <vector>

#include "distribution/law.hpp"
#include "foretask/analysis/sample_sketch.hpp"

namespace foretask::distribution {

struct SampleSet {
  std::vector<double> values;   // sorted, finite, at least one; the same value may come several times
  std::vector<double> weights;  // empty: all the same; otherwise one a value, >= 0, some above 0
  // The last ones of censored samples did not end: their mass is at the largest value, where it is at least.
  bool unended_mass = false;
};

// O(n log n) each. All values finite, one at least.
[[nodiscard]] SampleSet plain_samples(std::vector<double> values);
// Product limit (Kaplan and Meier 1958): ended[i] is 0 where values[i] is a lower bound. One at least has ended. Of
// equal values those that ended come first, as is the custom.
[[nodiscard]] SampleSet censored_samples(const std::vector<double>& values, const std::vector<std::uint8_t>& ended);
[[nodiscard]] SampleSet sketch_samples(const std::vector<analysis::SketchCentroid>& centroids);

// The step function: an atom a distinct value. quantile() and log_odds() take O(log n).
[[nodiscard]] LawPtr samples_law(const SampleSet& samples);

// The same, but beyond the outermost tenth or less a generalized Pareto tail (generalized_pareto.hpp) stands for the
// samples, below (`lower`), above (`upper`), or both. Continuous where they join. A lower tail does not go below 0
// where all values are >= 0. samples_law() where there are too few samples (fewer than 40 distinct ones) or they have
// no spread.
[[nodiscard]] LawPtr tailed_law(const SampleSet& samples, bool lower, bool upper);

}  // namespace foretask::distribution
