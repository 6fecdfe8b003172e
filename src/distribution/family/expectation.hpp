// SPDX-License-Identifier: Apache-2.0
// Expectations by quadrature over log odds: E[f(X)] = integral of f(Q(z)) F (1 - F) dz, which is smooth and vanishes at
// both ends, so that the trapezoidal rule over all of z converges geometrically (paper 001, eq. 8 and 12 are this
// integral; their closed forms cancel). Atoms are summed exactly.
#pragma once

#include <functional>

#include "distribution/family/cumulants.hpp"
#include "distribution/family/order_map.hpp"
#include "distribution/family/univariate.hpp"

namespace foretask::distribution {

// Integrals over log odds of four functions at once, weighted by a probability density.
//
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

[[nodiscard]] Powers powers_of(double x) noexcept;
// E[f(X)], E[f(X)^2] and so on, to about 1e-12 of E|f(X)|. NaN where one does not exist: f(Q(z)) grows as fast as the
// tail's mass falls. `from`: of log odds above it alone.
[[nodiscard]] Powers expected_powers(const Univariate& dist, const std::function<double(double)>& of_x,
                                     double from = -kInfinity);

// NaN for each that does not exist, and those after it.
[[nodiscard]] Cumulants integrated_cumulants(const Univariate& dist);
// The same, by the distribution's own formula where it has one.
[[nodiscard]] Cumulants cumulants_of(const Univariate& dist);
// Of the order statistic. To 1e-11 for known families; the cost does not depend on n.
[[nodiscard]] Cumulants cumulants_of_order(const Univariate& x, const OrderMap& map);

}  // namespace foretask::distribution
