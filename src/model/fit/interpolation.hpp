// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace foretask::model {

struct Point {
  double x = 0;
  double time = 0;
};

// On the straight line between the neighbours of `x`; the outermost time outside. `points` is not empty, its x
// increase.
[[nodiscard]] double interpolate(std::span<const Point> points, double x) noexcept;

}  // namespace foretask::model
