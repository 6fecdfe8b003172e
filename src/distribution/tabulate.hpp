// SPDX-License-Identifier: Apache-2.0
// Tables of laws that are known by their quantile function, or by their distribution function alone.
#pragma once

#include <functional>
#include <vector>

#include "distribution/table_law.hpp"

namespace foretask::distribution {

// How fine tables and sums of them are.
struct Resolution {
  double step = 0.15;       // of z between knots for |z| < 6; outside they go further apart
  double node_step = 0.75;  // of the quadrature of sums, in z
  double end = 52;          // knots reach to this |z|, flats and quadrature a little further
  double widening = 0.25;   // of the steps beyond |z| = 6, for each unit of z
  [[nodiscard]] double step_at(double z) const noexcept;
};
inline constexpr Resolution kFine{};
inline constexpr Resolution kCoarse{0.4, 1.1, 28, 0.5};  // about 55 knots
// Where extremes of very many are asked for: of 1e18 at a probability of 0.99 z is 46.
inline constexpr Resolution kCoarseFar{0.4, 1.1, 52, 0.1};

inline constexpr double kFlatEnd = 57;  // what is flat to infinity is so to this |z|

// By its quantile function. Of a step function with many steps a smooth law, its wide gaps kept.
[[nodiscard]] TablePtr tabulated(const Law& law, const Resolution& resolution);

struct OddsFunction {
  std::function<double(double x, bool below)> log_odds;  // of P(X < x) where `below`, else of P(X <= x)
  double low = -kInfinity;                               // the support
  double high = kInfinity;
  double centre = 0;      // a value well inside of it
  double scale = 1;       // about its spread; above 0
  bool low_atom = false;  // whether the ends have mass
  bool high_atom = false;
  std::vector<double> specials{};  // where it may jump or have a kink, but for the ends
};
// By its distribution function: steps from the middle outwards, each as long as the one before suggests.
[[nodiscard]] std::vector<Knot> knots_of(const OddsFunction& function, const Resolution& resolution);

// A table of these knots, moved a little so that its mean and variance are these (NaN, or where it has atoms: as it
// comes).
[[nodiscard]] TablePtr matched_table(std::vector<Knot> knots, double low, double high, double mean, double variance);

}  // namespace foretask::distribution
