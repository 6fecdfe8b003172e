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
