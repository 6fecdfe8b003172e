// SPDX-License-Identifier: Apache-2.0
// Knots of laws that marching (tabulate.cpp) gets lost in: many separate modes, most of the mass on one value.
#pragma once

#include <vector>

#include "distribution/tabulate.hpp"

namespace foretask::distribution {

// Whether knots reach the ends of `function`, and none of their intervals leaves out a part of it.
[[nodiscard]] bool are_faithful(const std::vector<Knot>& knots, const OddsFunction& function,
                                const Resolution& resolution);

// By halving intervals until each is a small part of z, a gap without probability, or an atom. Some thousand values of
// the function at most; where that is not enough the widest intervals have been halved first.
[[nodiscard]] std::vector<Knot> bisected_knots(const OddsFunction& function, const Resolution& resolution);

}  // namespace foretask::distribution
