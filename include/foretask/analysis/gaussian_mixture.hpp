// SPDX-License-Identifier: Apache-2.0
// Times that have several modes: a mixture of normal distributions, found by expectation maximisation, its number of
// parts by the Bayesian information criterion.
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
  std::vector<MixturePart> parts;  // by mean; weights sum to 1
  double log_likelihood = 0;
  double bic = 0;  // less is better: (3 parts - 1) log(n) - 2 log likelihood (Schwarz 1978)

  // Both exact in their own tail: upper(x) is 1 - cdf(x).
  [[nodiscard]] double cdf(double x) const noexcept;
  [[nodiscard]] double upper(double x) const noexcept;
  [[nodiscard]] double pdf(double x) const noexcept;
  // `probability` in (0, 1). `above` is 1 - probability, for one so near 1 that it must be known by itself.
  [[nodiscard]] double quantile(double probability) const noexcept { return quantile(probability, 1 - probability); }
  [[nodiscard]] double quantile(double probability, double above) const noexcept;
  [[nodiscard]] Moments moments() const noexcept;
  // Maxima of its density.
  [[nodiscard]] std::size_t modes() const noexcept;
};

struct MixtureOptions {
  std::size_t most_parts = 6;
  std::uint64_t seed = 1;  // of the starts
};

// The mixture of 1 to `most_parts` parts with the least BIC; the search ends after two numbers of parts without a
// better one. Weights: empty, or one a value, how often it counts. No part is narrower than a thousandth of the
// samples' spread, so that none collapses onto one value. Of more than 20,000 values some 4,000 bins of equal weight
// are fitted. O(values * parts * iterations), some ten ms for 6,000 values in two modes, more for a skewed shape that
// takes all the parts. Thread safe. Errors: fewer than two values, one that is not finite, all the same, squares that
// are no doubles; weights not above 0.
[[nodiscard]] Result<GaussianMixture> fit_mixture(const std::vector<double>& values,
                                                  const std::vector<double>& weights = {},
                                                  const MixtureOptions& options = {});

}  // namespace foretask::analysis
