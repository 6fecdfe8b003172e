// SPDX-License-Identifier: Apache-2.0
// The difference of the means of two small samples whose variances may differ. B. L. Welch, "The generalization of
// 'Student's' problem when several different population variances are involved", Biometrika 34 (1947) 28-35, with the
// degrees of freedom of F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114. It takes the values of a sample to
// be independent and about normal. Any thread.
#pragma once

#include <optional>
#include <span>

namespace foretask::statistics {

struct MeanDifference {
  double difference = 0;  // mean of the second sample - mean of the first
  double low = 0;         // confidence interval
  double high = 0;
  double freedom = 0;
};

// Nothing where a sample has fewer than two values, or no value differs from its sample's others.
[[nodiscard]] std::optional<MeanDifference> welch_difference(std::span<const double> first,
                                                             std::span<const double> second, double confidence);

}  // namespace foretask::statistics
