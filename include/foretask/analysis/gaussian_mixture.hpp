// SPDX-License-Identifier: Apache-2.0
// Times with several modes: a mixture of normal distributions, fitted by expectation maximisation. The Bayesian
// information criterion chooses the number of parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "foretask/analysis/moments.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

struct MixturePart {
  double weight = 1;
  double mean = 0;
  double sd = 1;
};

struct GaussianMixture {
  std::vector<MixturePart> parts;  // by mean; the weights sum to 1
  double log_likelihood = 0;
  double bic = 0;  // smaller is better: (3 parts - 1) log(n) - 2 log likelihood (Schwarz 1978)

  // Each is exact in its own tail; upper(x) is 1 - cdf(x).
  [[nodiscard]] double cdf(double x) const noexcept;
  [[nodiscard]] double upper(double x) const noexcept;
  [[nodiscard]] double pdf(double x) const noexcept;
  // `probability` in (0, 1). `above` is 1 - probability: it keeps the digits of a probability near 1.
  [[nodiscard]] double quantile(double probability) const noexcept { return quantile(probability, 1 - probability); }
  [[nodiscard]] double quantile(double probability, double above) const noexcept;
  [[nodiscard]] Moments moments() const noexcept;
  // The number of maxima of the density.
  [[nodiscard]] std::size_t modes() const noexcept;
};

struct MixtureOptions {
  std::size_t most_parts = 6;
  std::uint64_t seed = 1;  // of the random starts
};

// The mixture of 1 to `most_parts` parts with the least BIC. The search ends after two numbers of parts without a
// better one. `weights`: empty, or how often each value counts. No part is narrower than a thousandth of the values'
// standard deviation, so that none collapses onto one value. More than 20,000 values are put into some 4,000 bins of
// equal weight. O(values * parts * iterations): some 10 ms for 6,000 values in two modes, more for skewed ones. Thread
// safe. Errors: fewer than two values, one that is not finite, all equal, squares that are no doubles; weights of
// another number, or not above 0.
[[nodiscard]] Result<GaussianMixture> fit_mixture(const std::vector<double>& values,
                                                  const std::vector<double>& weights = {},
                                                  const MixtureOptions& options = {});

}  // namespace foretask::analysis
