// SPDX-License-Identifier: Apache-2.0
// The sum of a random number of independent ones of one distribution.
#pragma once

#include "distribution/compose/evaluate.hpp"

namespace foretask::distribution {

// `times` is rounded to whole numbers, and 0 below. Of small numbers the sum of each is a table, of larger ones that of
// some beside each other whose sums are alike; from where the sum of a number is near normal on, they are worked
// out at once. The cumulants are exact.
[[nodiscard]] Value random_loop(const Value& times, const Value& body, const TablePtr& body_table,
                                const Precision& wanted);

}  // namespace foretask::distribution
