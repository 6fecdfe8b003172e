// SPDX-License-Identifier: Apache-2.0
// Expectations by quadrature over log odds: E[f(X)] = integral of f(Q(z)) F (1 - F) dz, which is smooth and vanishes at
// both ends, so that the trapezoidal rule over all of z converges geometrically (paper 001, eq. 8 and 12 are this
// integral; their closed forms cancel). Atoms are summed exactly.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "distribution/family/order_map.hpp"
#include "distribution/family/univariate.hpp"
#include "foretask/analysis/moments.hpp"

namespace foretask::distribution {

// Of several functions at once: `of_x(x, values)` writes `count` values. One result each, to about 1e-12 of E|f(X)|.
// NaN where it does not exist: f(Q(z)) grows as fast as the tail's mass falls. `from`: of log odds above it alone.
[[nodiscard]] std::vector<double> expectations(const Univariate& dist, std::size_t count,
                                               const std::function<void(double, double*)>& of_x,
                                               double from = -kInfinity);

// Mean and central moments from the mean of X - shift, (X - shift)^2 and so on. NaN where one is; the shift within a
// standard deviation or so of the mean, so that little cancels.
[[nodiscard]] std::array<double, 4> central_about(double shift, const std::vector<double>& moments);

// Mean, E[(X - mean)^2], E[(X - mean)^3], E[(X - mean)^4]; NaN for each that does not exist (and those after it).
[[nodiscard]] std::array<double, 4> central_moments(const Univariate& dist);
// The same in their public form: NaN likewise; skewness 0 and kurtosis 3 where there is no spread.
[[nodiscard]] analysis::Moments moments_of(const Univariate& dist);

// Of the order statistic. To 1e-11 for known families; the cost does not depend on n.
[[nodiscard]] analysis::Moments moments_of_order(const Univariate& x, const OrderMap& map);

}  // namespace foretask::distribution
