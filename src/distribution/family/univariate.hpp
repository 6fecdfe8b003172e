// SPDX-License-Identifier: Apache-2.0
// What every distribution is to the compositions: a quantile function and a distribution function over log odds,
// z = log(F / (1 - F)), so that both tails keep all their digits however far out they are; and the pieces of z in
// which the quantile function is smooth, or one value. Immutable, thread safe.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "distribution/family/cumulants.hpp"

namespace foretask::distribution {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// z from the last piece's end (-infinity for the first) to `end`.
struct Piece {
  double end = kInfinity;
  bool atom = false;  // the quantile function has one value in it
};

class Univariate {
 public:
  virtual ~Univariate() = default;
  // inf{x : log odds of P(X <= x) >= z}; at -infinity and infinity the ends of the support.
  [[nodiscard]] virtual double quantile(double z) const = 0;
  // Log odds of P(X <= x), or `below` x, of P(X < x): they differ at atoms alone.
  [[nodiscard]] virtual double odds(double x, bool below) const = 0;
  [[nodiscard]] double log_odds(double x) const { return odds(x, false); }
  [[nodiscard]] double log_odds_below(double x) const { return odds(x, true); }
  // In order, the last one ends at infinity. Between two atoms of a step function there is no piece.
  [[nodiscard]] virtual std::vector<Piece> pieces() const { return {Piece{}}; }
  // Whether quantile() and log_odds() take microseconds, so that a table is soon the cheaper one.
  [[nodiscard]] virtual bool costly() const { return false; }
  // Where a formula has them to the last digits; elsewhere quadrature has to find them.
  [[nodiscard]] virtual std::optional<Cumulants> cumulants() const { return std::nullopt; }
};

using UnivariatePtr = std::shared_ptr<const Univariate>;

}  // namespace foretask::distribution
