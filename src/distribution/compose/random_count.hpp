// SPDX-License-Identifier: Apache-2.0
// A number of times that is a matter of chance: max(0, X rounded to a whole number), halves away from 0. Thread safe.
#pragma once

#include "distribution/family/cumulants.hpp"
#include "distribution/family/univariate.hpp"

namespace foretask::distribution {

// Of the number itself, NaN for each that does not exist. Up to a thousand numbers are counted one by one; beyond them
// rounding shifts nothing and adds a variance of 1/12, but for a term at the beginning (Euler and Maclaurin). Some
// thousand distribution functions.
[[nodiscard]] Cumulants count_cumulants(const Univariate& x);

// `times` the number, times not 0: quantiles are whole multiples of it. pieces() joins numbers beyond a thousand in
// bins of a hundredth.
[[nodiscard]] UnivariatePtr rounded_count(UnivariatePtr x, double times);
// The same of 1 as a table of its jumps, that asks no other distribution: exact to a thousand above the least number,
// beyond by the hundredth. O(jumps).
[[nodiscard]] UnivariatePtr tabulated_count(UnivariatePtr x);

}  // namespace foretask::distribution
