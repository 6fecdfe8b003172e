// SPDX-License-Identifier: Apache-2.0
// Integrals over log odds of four functions at once, weighted by a probability density.
#pragma once

#include <functional>

#include "distribution/family/cumulants.hpp"

namespace foretask::distribution {

// Writes the functions' values at z, each times the density there. Returns the density: where it has vanished, and all
// values with it, what lies further out adds nothing.
using Integrand = std::function<double(double z, Powers& values)>;

// A sum a function, with the sum of its absolute values, which is what "negligible" is measured against. NaN where it
// diverges.
class Integral {
 public:
  void add(const Powers& values, double times);
  void add(const Integral& other, double times = 1);

  Powers sum{};
  Powers size{};
  double mass = 0;  // of the density, along paths
};

// Where the weight is: about `center`, `width` to either side. Beyond log odds of `farthest` a tail that has not
// vanished goes on as it did up to there, or has no integral.
struct Place {
  double center = 0;
  double width = 1;
  double farthest = 700;
};

// Log odds as a function of t over all numbers, with its derivative.
struct PathPoint {
  double z = 0;
  double slope = 0;
};
using Path = std::function<PathPoint(double t)>;

// By the trapezoidal rule over t, whose step is halved until the sums agree. It converges geometrically where the
// integrand is smooth and vanishes at both ends.
[[nodiscard]] Integral integral_along(const Path& path, double step, const Integrand& integrand, const Place& place);

// From `from` to `to`, infinite ones too, added to `total`: along the line itself, or a path that makes the integrand
// vanish doubly exponentially towards a finite end (Takahasi and Mori 1974).
void add_integral(const Integrand& integrand, double from, double to, const Place& place, Integral& total);

}  // namespace foretask::distribution
