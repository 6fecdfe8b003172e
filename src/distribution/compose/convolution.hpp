// SPDX-License-Identifier: Apache-2.0
// The sum of two independent times.
#pragma once

#include "distribution/compose/table.hpp"
#include "distribution/compose/tabulation.hpp"
#include "distribution/family/cumulants.hpp"

namespace foretask::distribution {

// P(A + B <= x) is the sum over B's probability of P(A <= x - b): by Gauss' rule on each interval of B's knots, which
// is divided where A's knots are close. `expected`: the sum's cumulants; the table is moved a little so that its mean
// and variance are these (NaN, or where it has atoms: as it comes).
[[nodiscard]] TablePtr sum_of(const Table& a, const Table& b, const Cumulants& expected, const Precision& precision);

[[nodiscard]] TablePtr moved(const Table& table, double by);

}  // namespace foretask::distribution
