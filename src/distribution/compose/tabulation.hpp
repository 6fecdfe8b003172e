// SPDX-License-Identifier: Apache-2.0
// Tables of distributions whose distribution function is known.
#pragma once

#include <vector>

#include "distribution/compose/table.hpp"

namespace foretask::distribution {

struct Precision {
  double of_spread = 1e-7;  // error of values, in parts of the spread, where |z| < 8
  double of_odds = 1e-4;    // error of log odds further out
  double end = 24;          // |z| that a table goes to
  std::size_t most_knots = 600;
  [[nodiscard]] bool coarse() const noexcept { return of_spread > 1e-6; }
};
inline constexpr Precision kFine{};
inline constexpr Precision kCoarse{5e-4, 5e-2, 20, 60};
// As coarse, as far into the tails.
[[nodiscard]] inline Precision coarser(const Precision& precision) noexcept {
  Precision coarse = kCoarse;
  coarse.end = precision.end;
  return coarse;
}

// Where a table begins: values that are well spread over all of z, and those where the distribution function may jump
// or have a kink.
struct Outline {
  std::vector<double> values;
  std::vector<double> corners;
  double low = -kInfinity;  // the support
  double high = kInfinity;
};

// The log odds that values of an outline are best chosen at.
[[nodiscard]] std::vector<double> outline_odds(const Precision& precision);
// What `x` adds to the outline of a distribution that it is a part of: of these log odds each `stride`-th.
void add_outline(const Univariate& x, const Precision& precision, std::size_t stride, std::size_t first,
                 Outline& outline);

// By halving intervals until the cubic foresees the value in the middle of each. Some hundred values of `odds`.
[[nodiscard]] TablePtr tabulated(const OddsOfX& odds, Outline outline, const Precision& precision);
// Of a step function with many steps a smooth distribution, its wide gaps kept.
[[nodiscard]] TablePtr tabulated(const Univariate& x, const Precision& precision);

}  // namespace foretask::distribution
