// SPDX-License-Identifier: Apache-2.0
// Order statistics as a map of log odds: F_Y = P(at least `rank` of `n` independent X are at most x) is a function of
// F_X alone (the regularized incomplete beta function I(F_X; rank, n - rank + 1); paper 001, eq. 8 and 12 integrate
// its density), so that Q_Y(z) = Q_X(base_of(z)). O(1) in n.
#pragma once

#include <cstdint>

#include "distribution/family/univariate.hpp"

namespace foretask::distribution {

// The regularized incomplete beta function as a map of log odds, z of x to z of I(x; a, b), for every a, b > 0 up to
// 1e18 at the same cost, with all digits in both tails: by quadrature of its density over log odds,
// exp(log_density(z)), which is log-concave. Immutable, thread safe.
class IncompleteBeta {
 public:
  IncompleteBeta(double a, double b);
  [[nodiscard]] double log_density(double z) const noexcept;        // log dI/dz: a log x + b log(1 - x) - log B(a, b)
  [[nodiscard]] double center() const noexcept { return center_; }  // where the density is largest
  [[nodiscard]] double width() const noexcept { return width_; }    // 1 / sqrt(curvature of its log) there
  [[nodiscard]] double forward(double z) const;
  [[nodiscard]] double inverse(double z) const;

 private:
  // log I on the lower side of the center, or of the mirror image's on the upper one.
  [[nodiscard]] double log_tail(double z, bool upper_side) const;

  double a_;
  double b_;
  double center_;
  double center_x_;
  double center_y_;
  double width_;
  double log_peak_;  // log_density(center)
  double middle_;    // forward(center)
  double log_beta_;  // log B(a, b), of few digits where a, b are large
};

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
