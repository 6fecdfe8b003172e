// SPDX-License-Identifier: Apache-2.0
#include "model/evaluate/support_points.hpp"

namespace foretask::model {
namespace {

constexpr double kBelow = 0.9;
constexpr double kAbove = 1.1;

}  // namespace

bool widens(double smallest, double largest, double x) noexcept {
  return x < kBelow * smallest || x > kAbove * largest;
}

bool SupportPoints::wants(double x) const noexcept {
  return points_.empty() || widens(points_.front().x, points_.back().x, x);
}

std::optional<double> SupportPoints::predict(double x) const {
  if (points_.empty()) return std::nullopt;
  return interpolate(points_, x);
}

void SupportPoints::learn(double x, double time) {
  if (!wants(x)) return;
  const bool smallest = !points_.empty() && x < points_.front().x;
  points_.insert(smallest ? points_.begin() : points_.end(), {x, time});
}

}  // namespace foretask::model
