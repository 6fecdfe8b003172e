// SPDX-License-Identifier: Apache-2.0
// The sum of many independent ones of one law.
#pragma once

#include <cstdint>

#include "distribution/cumulants.hpp"
#include "distribution/table_law.hpp"
#include "distribution/tabulate.hpp"

namespace foretask::distribution {

// O(log count) sums, by doubling; where so many are normal but for what their cumulants to the fourth say, that law
// (Cornish and Fisher 1938). count >= 1.
[[nodiscard]] TablePtr repeated_table(const TablePtr& one, const Cumulants& cumulants, std::uint64_t count,
                                      const Resolution& resolution);

[[nodiscard]] TablePtr moved_table(const TableLaw& table, double by);

// The law near a normal one with these cumulants, the fourth included.
[[nodiscard]] TablePtr near_normal_table(const Cumulants& cumulants, double low, double high,
                                         const Resolution& resolution);

}  // namespace foretask::distribution
