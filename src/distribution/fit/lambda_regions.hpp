// SPDX-License-Identifier: Apache-2.0
// The parts of the (l3, l4) plane in which a form's distributions with four moments lie, each with a table of skewness
// and kurtosis over a grid: cells in which both pass what is asked for are where a search starts.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "distribution/fit/lambda_shape.hpp"

namespace foretask::distribution {

// How an exponent depends on a coordinate without bounds.
enum class Axis : std::uint8_t {
  kPositive,      // e^p
  kNegative,      // -1/4 to 0: -1/4 / (1 + e^-p)
  kAboveOne,      // 1 + e^p
  kAboveQuarter,  // -1/4 + e^p
};

[[nodiscard]] inline double exponent_at(Axis axis, double p) noexcept {
  switch (axis) {
    case Axis::kPositive:
      return std::exp(p);
    case Axis::kNegative:
      return -0.25 / (1 + std::exp(-p));
    case Axis::kAboveOne:
      return 1 + std::exp(p);
    case Axis::kAboveQuarter:
      return -0.25 + std::exp(p);
  }
  return 0;
}

[[nodiscard]] inline double exponent_slope(Axis axis, double p) noexcept {
  if (axis != Axis::kNegative) return std::exp(p);
  const double share = 1 / (1 + std::exp(-p));
  return -0.25 * share * (1 - share);
}

struct LambdaRegion {
  Axis axis[2] = {Axis::kPositive, Axis::kPositive};  // of l3, of l4
  double sign = 1;                                    // of l2
  std::vector<double> at[2];                          // coordinates of the grid
  std::vector<float> skewness;                        // [l3][l4], of the distribution: with the sign
  std::vector<float> kurtosis;
};

// RS: regions 3, 4, 5 and 6 of Karian and Dudewicz (2000), the others have no fourth moment; FKML: one. Made at the
// first call, some ms.
[[nodiscard]] const std::vector<LambdaRegion>& lambda_regions(analysis::LambdaForm form);

}  // namespace foretask::distribution
