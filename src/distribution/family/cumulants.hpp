// SPDX-License-Identifier: Apache-2.0
// Mean and cumulants to the fourth order: what sums add. NaN for each that does not exist. Pure, thread safe.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "foretask/analysis/moments.hpp"

namespace foretask::distribution {

using Cumulants = std::array<double, 4>;  // mean, variance, k3, k4
using Powers = std::array<double, 4>;     // means of X, X^2, X^3, X^4, or their parts

[[nodiscard]] Cumulants cumulants_of(const analysis::Moments& moments) noexcept;
// From the means of X - shift, (X - shift)^2 and so on. NaN where one is; the shift within a standard deviation or so
// of the mean, so that little cancels.
[[nodiscard]] Cumulants cumulants_about(double shift, const Powers& means) noexcept;
[[nodiscard]] analysis::Moments moments_of_cumulants(const Cumulants& cumulants) noexcept;

// Of X + Y, of the sum of `times` independent ones, of one of several with probabilities.
[[nodiscard]] Cumulants added(const Cumulants& x, const Cumulants& y) noexcept;
[[nodiscard]] Cumulants repeated(const Cumulants& x, double times) noexcept;
[[nodiscard]] Cumulants mixed(const std::vector<std::pair<double, Cumulants>>& cases);
// Of the sum of N independent X, N random: K_S(t) = K_N(K_X(t)).
[[nodiscard]] Cumulants compounded(const Cumulants& n, const Cumulants& x) noexcept;

}  // namespace foretask::distribution
