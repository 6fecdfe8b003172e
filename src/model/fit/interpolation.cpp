// SPDX-License-Identifier: Apache-2.0
#include "model/fit/interpolation.hpp"

#include <algorithm>

namespace foretask::model {

double interpolate(std::span<const Point> points, double x) noexcept {
  if (x <= points.front().x) return points.front().time;
  if (x >= points.back().x) return points.back().time;
  const auto above =
      std::lower_bound(points.begin(), points.end(), x, [](const Point& a, double b) { return a.x < b; });
  const Point& low = *(above - 1);
  const Point& high = *above;
  return low.time + (high.time - low.time) * ((x - low.x) / (high.x - low.x));
}

}  // namespace foretask::model
