// SPDX-License-Identifier: Apache-2.0
// The values of an axis of a table.
#pragma once

#include <algorithm>
#include <vector>

namespace foretask::predict {

// Each once, smallest first.
[[nodiscard]] inline std::vector<double> distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace foretask::predict
