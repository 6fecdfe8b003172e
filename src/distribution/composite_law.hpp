// SPDX-License-Identifier: Apache-2.0
// A law whose distribution function is a formula of its parts': exact where it is asked itself, with a table for what
// is built on it.
#pragma once

#include <functional>
#include <vector>

#include "distribution/table_law.hpp"

namespace foretask::distribution {

// Log odds of P(X < x) where `below`, else of P(X <= x).
using OddsOfX = std::function<double(double x, bool below)>;

class CompositeLaw final : public Law {
 public:
  // `parts`: what `odds` refers to.
  CompositeLaw(OddsOfX odds, std::vector<LawPtr> parts, TablePtr table);

  // The table's, made exact by halving: some 60 values of the parts' distribution functions.
  [[nodiscard]] double quantile(double z) const override;
  [[nodiscard]] double log_odds(double x) const override { return odds_(x, false); }
  [[nodiscard]] double log_odds_below(double x) const override { return odds_(x, true); }
  [[nodiscard]] std::vector<Piece> pieces() const override { return table_->pieces(); }
  [[nodiscard]] const TablePtr& table() const noexcept { return table_; }

 private:
  OddsOfX odds_;
  std::vector<LawPtr> parts_;
  TablePtr table_;
};

// The table that a law is or has; null of another one.
[[nodiscard]] TablePtr table_of(const LawPtr& law);

}  // namespace foretask::distribution
