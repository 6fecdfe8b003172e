// SPDX-License-Identifier: Apache-2.0
// Sums of many independent times, equal ones and different ones.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "distribution/compose/table.hpp"
#include "distribution/compose/tabulation.hpp"
#include "distribution/family/cumulants.hpp"

namespace foretask::distribution {

// Whether the sum of so many is normal but for what its cumulants to the fourth say (Cornish and Fisher 1938), to 1e-6
// of its standard deviation from 0.1 % to 99.9 %.
[[nodiscard]] bool near_normal(const Cumulants& one, double count);

// The sum of `count` >= 1 independent ones: O(log count) sums, by doubling, or none where it is near normal.
[[nodiscard]] TablePtr repeated_sum(const TablePtr& one, const Cumulants& cumulants, std::uint64_t count,
                                    const Precision& precision);

// Independent equal parts of a sum.
struct Term {
  UnivariatePtr x;
  Cumulants cumulants{};  // of one
  double count = 1;
  std::function<TablePtr()> table;  // made only where it is needed
};
// The sum of all, one at least. Of those that are near normal together no table is made.
[[nodiscard]] TablePtr sum_of_all(std::vector<Term> terms, const Precision& precision);

}  // namespace foretask::distribution
