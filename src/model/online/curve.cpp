// SPDX-License-Identifier: Apache-2.0
#include "model/online/curve.hpp"

#include <algorithm>

namespace foretask::model {
namespace {

double beyond(const Point& end, double exponent, double x) noexcept {
  return exponent == 0 || x <= 0 ? end.time : end.time * std::pow(x / end.x, exponent);
}

}  // namespace

double interpolate(std::span<const Point> points, double x) noexcept {
  if (x <= points.front().x) return points.front().time;
  if (x >= points.back().x) return points.back().time;
  const auto above =
      std::lower_bound(points.begin(), points.end(), x, [](const Point& a, double b) { return a.x < b; });
  const Point& low = *(above - 1);
  const Point& high = *above;
  return low.time + (high.time - low.time) * ((x - low.x) / (high.x - low.x));
}

double along_curve(std::span<const Point> points, const Ends& ends, double x) noexcept {
  if (x > points.back().x) return beyond(points.back(), ends.exponent_above, x);
  if (x < points.front().x) return beyond(points.front(), ends.exponent_below, x);
  return interpolate(points, x);
}

}  // namespace foretask::model
