// SPDX-License-Identifier: Apache-2.0
// Tails of distributions, computed as tails (a p of 1e-200 is 1e-200 and not 0), and robust summaries. Any thread.
#pragma once

#include <vector>

namespace foretask::statistics {

// P(|T| >= |t|) of Student's t. NaN for a NaN; `freedom` is at least 1.
[[nodiscard]] double student_t_two_sided(double t, double freedom);

// The t with P(|T| <= t) = `confidence`.
[[nodiscard]] double student_t_two_sided_quantile(double confidence, double freedom);

// P(X >= x).
[[nodiscard]] double chi_squared_tail(double x, double freedom);
[[nodiscard]] double f_tail(double x, double freedom_above, double freedom_below);

// `share` in [0, 1] of the values lie below; 0 of none.
[[nodiscard]] double quantile(std::vector<double> values, double share);
[[nodiscard]] double median(std::vector<double> values);

// The standard deviation of a normal distribution with this median of absolute values: not moved by outliers.
[[nodiscard]] double robust_scale(const std::vector<double>& residuals);

}  // namespace foretask::statistics
