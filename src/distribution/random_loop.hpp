// SPDX-License-Identifier: Apache-2.0
// The sum of a random number of independent ones of one law.
#pragma once

#include "distribution/evaluate.hpp"

namespace foretask::distribution {

// `times` is rounded to whole numbers, and 0 below. Of up to 64 different numbers each one's sum is worked out; of more
// the sum is taken for the mean times their number, and what the parts spread by besides for normal.
[[nodiscard]] Value random_loop(const Value& times, const Value& body, const TablePtr& body_table,
                                const Resolution& resolution);

}  // namespace foretask::distribution
