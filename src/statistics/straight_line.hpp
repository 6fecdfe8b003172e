// SPDX-License-Identifier: Apache-2.0
// The straight line through points by least squares. Any thread; linear.
#pragma once

#include <cstddef>
#include <span>

namespace foretask::statistics {

struct StraightLine {
  double middle = 0;  // mean of x
  double height = 0;  // there: mean of y
  double slope = 0;   // 0 where x does not vary

  [[nodiscard]] double at(double x) const noexcept { return height + slope * (x - middle); }
};

// As many y as x, at least one; so are the weights, above 0, or there are none and all count alike.
[[nodiscard]] inline StraightLine straight_line(std::span<const double> x, std::span<const double> y,
                                                std::span<const double> weights = {}) {
  StraightLine line;
  double sum = 0, squares = 0, products = 0;
  const auto weight = [weights](std::size_t i) { return weights.empty() ? 1 : weights[i]; };
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += weight(i);
    line.middle += (x[i] - line.middle) * weight(i) / sum;
    line.height += (y[i] - line.height) * weight(i) / sum;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += weight(i) * (x[i] - line.middle) * (x[i] - line.middle);
    products += weight(i) * (x[i] - line.middle) * (y[i] - line.height);
  }
  if (squares > 0) line.slope = products / squares;
  return line;
}

}  // namespace foretask::statistics
