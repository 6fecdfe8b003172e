// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distribution/compose/table.hpp"
#include "distribution/family/cumulants.hpp"

namespace foretask::distribution {

// Of a distribution that `odds` are known of, and a table: by quadrature of both tails between the table's knots, to
// 1e-12 where the table is fine. NaN for moments that do not exist.
[[nodiscard]] Cumulants cumulants_by_odds(const OddsOfX& odds, const Table& table);
// Of the table itself.
[[nodiscard]] Cumulants cumulants_of(const Table& table);

}  // namespace foretask::distribution
