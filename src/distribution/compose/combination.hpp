// SPDX-License-Identifier: Apache-2.0
// One of several times, and the last and the first of several: their distribution functions are formulas of the parts'.
#pragma once

#include <functional>
#include <vector>

#include "distribution/compose/table.hpp"

namespace foretask::distribution {

struct Component {
  UnivariatePtr x;
  double share = 1;                  // a branch: its probability; an extreme: how many of it
  std::function<TablePtr()> smooth;  // the same as a table, where it has too many steps
};

// Of step functions alone a step function with all their atoms (up to 16,384), exact; else a formula of the parts'
// distribution functions, with a table beside it for what is built on it.
[[nodiscard]] UnivariatePtr branch_of(const std::vector<Component>& parts, const Precision& precision);
[[nodiscard]] UnivariatePtr extreme_of(const std::vector<Component>& parts, bool last, const Precision& precision);

// The table that a distribution is or has; null of another one.
[[nodiscard]] TablePtr table_of(const UnivariatePtr& x);

}  // namespace foretask::distribution
