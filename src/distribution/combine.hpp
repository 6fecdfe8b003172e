// SPDX-License-Identifier: Apache-2.0
// One of several laws, and the last and the first of several: their distribution functions are formulas of the parts'.
#pragma once

#include <functional>
#include <vector>

#include "distribution/law.hpp"
#include "distribution/table_law.hpp"
#include "distribution/tabulate.hpp"

namespace foretask::distribution {

struct Component {
  LawPtr law;
  double share = 1;                  // a branch: its probability; an extreme: how many of it
  std::function<TablePtr()> smooth;  // the law as a table, where it has too many steps
};

// Of step functions alone a step function with all their atoms (up to 16,384), exact; else a CompositeLaw, whose table
// is exact at its knots.
[[nodiscard]] LawPtr mixture_of(const std::vector<Component>& parts, const Resolution& resolution);
[[nodiscard]] LawPtr extreme_of(const std::vector<Component>& parts, bool last, const Resolution& resolution);

}  // namespace foretask::distribution
