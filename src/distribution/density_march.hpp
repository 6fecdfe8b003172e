// SPDX-License-Identifier: Apache-2.0
// Points of the quantile function of a law whose density is cheap and whose distribution function is not: from both
// ends inwards by sums of the density between one point and the next. All terms are positive, so that no digit is lost
// in either tail. Pure, thread safe.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "distribution/array_math.hpp"
#include "distribution/log_odds.hpp"

namespace foretask::distribution {

// A point of a law over a scale w of its values on which both its tails are smooth, and its log odds.
struct MarchPoint {
  double w = 0;
  double z = 0;
};

// From the outermost point inwards; `sign` 1: from the lower end up, -1: from the upper end down, with all z mirrored.
// `targets`: mirrored log odds, rising to 0.
template <typename Density>
std::vector<MarchPoint> march_inwards(const Density& density, MarchPoint from, int sign,
                                      const std::vector<double>& targets) {
  // Gauss and Legendre's eight points on [0, 1].
  constexpr std::array<double, 8> kAt{0.01985507175123188, 0.10166676129318664, 0.2372337950418355, 0.4082826787521751,
                                      0.5917173212478249,  0.7627662049581645,  0.8983332387068134, 0.9801449282487681};
  constexpr std::array<double, 8> kShare{0.05061426814518813, 0.11119051722668724, 0.15685332293894363,
                                         0.18134189168918100, 0.18134189168918100, 0.15685332293894363,
                                         0.11119051722668724, 0.05061426814518813};
  std::vector<MarchPoint> points{from};
  double w = from.w;
  double z = sign * from.z;
  double mass = lower(z);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const double apart = targets[k] - z;
    const double full = k > 0 ? targets[k] - targets[k - 1] : apart;
    if (!(apart > 0.3 * full)) continue;
    // dz/dw and how it bends, as Halley's step takes it.
    const double slope = quick_exp(std::clamp(density.log_at(w), -700.0, 700.0)) / (mass * (1 - mass));
    const double bend = apart / 2 * (sign * density.log_slope_at(w) / slope - (1 - 2 * mass));
    const double step = apart / slope / (1 + std::clamp(bend, -0.5, 1.0));
    if (!(step > 0) || !std::isfinite(step)) break;
    double sum = 0;
    for (std::size_t i = 0; i < kAt.size(); ++i)
      sum += kShare[i] * quick_exp(std::clamp(density.log_at(w + sign * step * kAt[i]), -700.0, 700.0));
    w += sign * step;
    mass += step * sum;
    if (!(mass < 0.75)) break;
    z = std::log(mass) - std::log1p(-mass);
    points.push_back({w, sign * z});
  }
  return points;
}

// Density: log_at(w), the log of dF/dw, and log_slope_at(w), its derivative. `zs` rise; the points come near to them
// but for the outermost, which are `low` and `high`. To some 1e-12 of the probabilities.
template <typename Density>
std::vector<MarchPoint> march_by_density(const Density& density, MarchPoint low, MarchPoint high,
                                         const std::vector<double>& zs) {
  std::vector<double> down;
  std::vector<double> up;
  for (const double z : zs)
    if (z < 0) down.push_back(z);
  for (auto z = zs.rbegin(); z != zs.rend(); ++z)
    if (*z > 0) up.push_back(-*z);
  std::vector<MarchPoint> points = march_inwards(density, low, 1, down);
  const std::vector<MarchPoint> upper = march_inwards(density, high, -1, up);
  for (auto point = upper.rbegin(); point != upper.rend(); ++point)
    if (point->w > points.back().w && point->z > points.back().z) points.push_back(*point);
  return points;
}

}  // namespace foretask::distribution
