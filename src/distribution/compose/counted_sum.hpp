// SPDX-License-Identifier: Apache-2.0
// The sum of many independent equal parts whose number is a matter of chance.
#pragma once

#include "distribution/family/cumulants.hpp"
#include "distribution/family/univariate.hpp"

namespace foretask::distribution {

// From so many parts on, of these cumulants, the sum given their number n is near enough to
// n mean + sqrt(n) sd g + skewness sd (g^2 - 1) / 6, g normal, and rises with n at any g of a few.
[[nodiscard]] double least_count(const Cumulants& body);

// The sum of N parts, N the number `times`, given that it rounds to `from` >= least_count() or more. P(sum <= x) is
// that of N being small enough, averaged over g.
[[nodiscard]] UnivariatePtr counted_sum(UnivariatePtr times, double from, const Cumulants& body);

}  // namespace foretask::distribution
