// SPDX-License-Identifier: Apache-2.0
// The regularized incomplete beta function as a map of log odds, z of x to z of I(x; a, b), for every a, b > 0 up to
// 1e18 at the same cost, with all digits in both tails: by quadrature of its density over log odds,
// exp(log_density(z)), which is log-concave. Immutable, thread safe.
#pragma once

namespace foretask::distribution {

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

}  // namespace foretask::distribution
