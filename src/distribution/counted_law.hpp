// SPDX-License-Identifier: Apache-2.0
// The sum of many independent equal parts whose number is a matter of chance.
#pragma once

#include "distribution/cumulants.hpp"
#include "distribution/law.hpp"

namespace foretask::distribution {

// Of N parts with these cumulants, N of the law `times`, given that it rounds to `from` or more; from 0: all of it, 0
// where it is negative. Of many parts the sum is known by its mean, variance and skewness: a gamma distribution
// (Pearson's type III), or a normal one with a correction. N may be of any size, whole numbers are not told apart. Of a
// constant body exact, N rounded. No variance or no third moment: nullptr.
[[nodiscard]] LawPtr counted_law(LawPtr times, double from, const Cumulants& body);

}  // namespace foretask::distribution
