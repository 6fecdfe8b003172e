// SPDX-License-Identifier: Apache-2.0
// Order statistics as a map of log odds: F_Y = P(at least `rank` of `n` independent X are at most x) is a function of
// F_X alone (the regularized incomplete beta function I(F_X; rank, n - rank + 1); paper 001, eq. 8 and 12 integrate
// its density), so that Q_Y(z) = Q_X(base_of(z)). O(1) in n.
#pragma once

#include <cstdint>

#include "distribution/law.hpp"

namespace foretask::distribution {

class OrderMap {
 public:
  // 1 <= rank <= n <= 1e18; rank 1 is the minimum, rank n the maximum. Those two are exact to the last digits in both
  // tails, the others to about 1e-12.
  OrderMap(std::uint64_t rank, std::uint64_t n);
  [[nodiscard]] double order_of(double z) const;  // from the log odds of X to those of Y; increasing
  [[nodiscard]] double base_of(double z) const;   // and back
  [[nodiscard]] std::uint64_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint64_t n() const noexcept { return n_; }

 private:
  [[nodiscard]] double middle_order_of(double z) const;
  [[nodiscard]] double middle_base_of(double z) const;

  std::uint64_t rank_;
  std::uint64_t n_;
  double a_;  // of the beta distribution
  double b_;
  double log_lower_scale_;  // log F_Y ~ a log F_X + this where F_X -> 0
  double log_upper_scale_;  // log(1 - F_Y) ~ b log(1 - F_X) + this where F_X -> 1
};

// The law of the rank-th of n independent ones of law `x`; `x` itself for 1 of 1.
[[nodiscard]] LawPtr order_law(LawPtr x, std::uint64_t rank, std::uint64_t n);

}  // namespace foretask::distribution
