// SPDX-License-Identifier: Apache-2.0
// How many measured times a quantile rests on.
#pragma once

#include <array>

#include "distribution/expression/program.hpp"

namespace foretask::distribution {

// For each quantile of the program's answer whether it is, or lies beyond, one of the outermost five measured times of
// a leaf: another sample would put it elsewhere. Seen through order statistics and constants added to them; through
// extremes and branches of several parts where the quantile is a measured time itself. Not through sums, which rest on
// many times. O(samples).
[[nodiscard]] std::array<bool, 9> beyond_support(const Program& program, const std::array<double, 9>& quantiles);

}  // namespace foretask::distribution
