// SPDX-License-Identifier: Apache-2.0
// The parts of the (l3, l4) plane in which a form's distributions with four moments lie, each with a table of skewness
// and kurtosis over a grid: cells in which both pass what is asked for are where a search starts.
#pragma once

#include <vector>

#include "distribution/fit/lambda_shape.hpp"

namespace foretask::distribution {

// A coordinate without bounds for an exponent.
struct Axis {
  double first = 0;  // of its grid
  double last = 0;
  int points = 0;
  bool heavy = false;  // exponents down to -1/4
  double (*exponent)(double coordinate) = nullptr;
};

struct LambdaRegion {
  Axis axis[2];                 // of l3, of l4
  double sign = 1;              // of l2
  std::vector<double> at[2];    // coordinates of the grid
  std::vector<float> skewness;  // [l3][l4], of the distribution: with the sign
  std::vector<float> kurtosis;
};

// RS: regions 3, 4, 5 and 6 of Karian and Dudewicz (2000), the others have no fourth moment; FKML: one. Made at the
// first call, some ms.
[[nodiscard]] const std::vector<LambdaRegion>& lambda_regions(analysis::LambdaForm form);

}  // namespace foretask::distribution
