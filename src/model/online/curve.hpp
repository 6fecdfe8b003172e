// SPDX-License-Identifier: Apache-2.0
// HOT: a time by one parameter, from times at a few places. Pure; no allocation.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace foretask::model {

struct Point {
  double x = 0;
  double time = 0;
};

// On the straight line between the neighbours of `x`; the outermost time outside. `points` is not empty, its x
// increase.
[[nodiscard]] double interpolate(std::span<const Point> points, double x) noexcept;

// Beyond the first and the last point time goes on as a power of x; with an exponent of 0 it stays what it is there.
struct Ends {
  double exponent_below = 0;
  double exponent_above = 0;
};
[[nodiscard]] double along_curve(std::span<const Point> points, const Ends& ends, double x) noexcept;

// The place of the nearest of one or two points, the first of equally near ones.
[[nodiscard]] inline std::size_t nearest_of(std::span<const Point> points, double x) noexcept {
  return points.size() > 1 && std::abs(x - points[1].x) < std::abs(x - points[0].x) ? 1 : 0;
}

}  // namespace foretask::model
