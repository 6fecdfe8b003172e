// SPDX-License-Identifier: Apache-2.0
// Tails of distributions, computed as tails (a p of 1e-200 is 1e-200 and not 0). Any thread.
#pragma once

#include <optional>
#include <span>

namespace foretask::statistics {

// P(|T| >= |t|) of Student's t. NaN for a NaN; `freedom` is at least 1.
[[nodiscard]] double student_t_two_sided(double t, double freedom);

// The t with P(|T| <= t) = `confidence`.
[[nodiscard]] double student_t_two_sided_quantile(double confidence, double freedom);

// P(X >= x).
[[nodiscard]] double chi_squared_tail(double x, double freedom);
[[nodiscard]] double f_tail(double x, double freedom_above, double freedom_below);

// P(X <= successes) of so many trials, each a success with probability `chance`.
[[nodiscard]] double binomial_lower_tail(double successes, double trials, double chance);

// The difference of the means of two small samples whose variances may differ. B. L. Welch, "The generalization of
// 'Student's' problem when several different population variances are involved", Biometrika 34 (1947) 28-35, with the
// degrees of freedom of F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114. It takes the values of a sample to
// be independent and about normal. Any thread.
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
