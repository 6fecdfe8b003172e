// SPDX-License-Identifier: Apache-2.0
// Order statistics as a map of log odds: F_Y = P(at least `rank` of `n` independent X are at most x) is a function of
// F_X alone (the regularized incomplete beta function I(F_X; rank, n - rank + 1); paper 001, eq. 8 and 12 integrate
// its density), so that Q_Y(z) = Q_X(base_of(z)). O(1) in n.
#pragma once

#include <cstdint>

#include "distribution/family/incomplete_beta.hpp"
#include "distribution/family/univariate.hpp"

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
  // dF_Y/dz over the log odds of X.
  [[nodiscard]] const IncompleteBeta& beta() const noexcept { return beta_; }

 private:
  std::uint64_t rank_;
  std::uint64_t n_;
  IncompleteBeta beta_;
};

// The distribution of the rank-th of n independent ones of distribution `x`; `x` itself for 1 of 1.
[[nodiscard]] UnivariatePtr order_statistic(UnivariatePtr x, std::uint64_t rank, std::uint64_t n);

}  // namespace foretask::distribution
