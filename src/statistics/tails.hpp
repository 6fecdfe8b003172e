// SPDX-License-Identifier: Apache-2.0
// Tails of distributions, computed as tails (a p of 1e-200 is 1e-200 and not 0). Any thread.
#pragma once

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

}  // namespace foretask::statistics
