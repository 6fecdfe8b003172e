// SPDX-License-Identifier: Apache-2.0
// The distribution of what goes beyond a threshold: P(X - t > y | X > t) = (1 + shape y / scale)^(-1/shape).
#pragma once

#include <vector>

namespace foretask::distribution {

struct GeneralizedPareto {
  double shape = 0;  // > 0: heavy; 0: exponential; < 0: it ends at -scale/shape
  double scale = 1;

  // Excess that is gone beyond with probability exp(-depth).
  [[nodiscard]] double excess(double depth) const noexcept;
  // -log P(excess > y); infinity beyond the end.
  [[nodiscard]] double depth(double y) const noexcept;
};

// Fitted to `excesses`, sorted, >= 0, not all 0, with weights (empty: equal), by the quasi-Bayesian mean over the
// profile likelihood (Zhang and Stephens 2009), which never fails, drawn towards the exponential distribution (shape 0,
// which most tails tend to) as far as the Bayesian information criterion has it. O(n) times 50.
[[nodiscard]] GeneralizedPareto fit_generalized_pareto(const std::vector<double>& excesses,
                                                       const std::vector<double>& weights = {});

}  // namespace foretask::distribution
