// SPDX-License-Identifier: Apache-2.0
// Times that grow exponentially with a parameter, such as a recursion's depth: base + height * exp(rate * x). In a
// short range a polynomial fits them as well, and is orders of magnitude too low beyond it.
#pragma once

#include <optional>
#include <span>

namespace foretask::model {

struct ExponentialGrowth {
  // From the largest value of the parameter on.
  struct Course {
    double rate = 0;   // above 0, of one unit of the parameter
    double share = 0;  // of the time at the largest value, in (0, 1]: what grows

    // How much longer it takes `further` units beyond the largest value: a logarithm.
    [[nodiscard]] double log_factor(double further) const noexcept;
  };
  // The likeliest, and the ends of its 95 % likelihood region.
  Course slowest;
  Course likeliest;
  Course fastest;
  double half_akaike = 0;    // of the likeliest, with three coefficients
  double error_squares = 0;  // of its logarithms
};

// `times`, above 0, at the values `x`, as many; relative errors of about `noise`, above 0. Nothing where there are
// fewer than four different values, where the times do not grow, and where half_akaike is above `most`. O(rows), some
// 40 to 60 passes.
[[nodiscard]] std::optional<ExponentialGrowth> exponential_growth(std::span<const double> x,
                                                                  std::span<const double> times, double noise,
                                                                  double most);

// How much speaks against a model of `coefficients` that was fitted to so many rows: half of Akaike's criterion with
// the correction for few rows (Hurvich & Tsai 1989); a difference of ln k is evidence of k : 1 (Burnham & Anderson
// 2002). `error_squares`: of relative errors, to which `noise` is added as their least size. Infinite for too few rows.
[[nodiscard]] double half_akaike(double error_squares, double rows, double coefficients, double noise) noexcept;

}  // namespace foretask::model
