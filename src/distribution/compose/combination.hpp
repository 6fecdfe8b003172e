// SPDX-License-Identifier: Apache-2.0
// One of several times, and the last and the first of several: their distribution functions are formulas of the parts'.
#pragma once

#include <functional>
#include <vector>

#include "distribution/compose/table.hpp"
#include "distribution/compose/tabulation.hpp"

namespace foretask::distribution {

struct Component {
  UnivariatePtr x;
  double share = 1;                  // a branch: its probability; an extreme: how many of it
  std::function<TablePtr()> smooth;  // the same as a table, where it has too many steps
};

// A formula of other distribution functions: exact where it is asked itself, with a table for what is built on it.
class Combination final : public Univariate {
 public:
  Combination(OddsOfX odds, TablePtr table);

  // The table's, made exact by some ten values of the parts' distribution functions.
  [[nodiscard]] double quantile(double z) const override;
  [[nodiscard]] double odds(double x, bool below) const override { return odds_(x, below); }
  [[nodiscard]] std::vector<Piece> pieces() const override { return table_->pieces(); }
  [[nodiscard]] const TablePtr& table() const noexcept { return table_; }
  [[nodiscard]] std::optional<Cumulants> cumulants() const override { return cumulants_by_odds(odds_, *table_); }

 private:
  OddsOfX odds_;
  TablePtr table_;
};

// Of step functions alone a step function with all their atoms (up to 16,384), exact; else a Combination.
[[nodiscard]] UnivariatePtr branch_of(const std::vector<Component>& parts, const Precision& precision);
[[nodiscard]] UnivariatePtr extreme_of(const std::vector<Component>& parts, bool last, const Precision& precision);

// The table that a distribution is or has; null of another one.
[[nodiscard]] TablePtr table_of(const UnivariatePtr& x);

}  // namespace foretask::distribution
