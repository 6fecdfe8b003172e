// SPDX-License-Identifier: Apache-2.0
// The sum of a random number of independent ones of one law.
#pragma once

#include "distribution/evaluate.hpp"

namespace foretask::distribution {

// `times` is rounded to whole numbers, and 0 below. Of up to 64, and where they are within 256 of each other, the sum
// of each number is worked out; larger ones together (counted_law.hpp). The cumulants are exact.
[[nodiscard]] Value random_loop(const Value& times, const Value& body, const TablePtr& body_table,
                                const Resolution& resolution);

}  // namespace foretask::distribution
