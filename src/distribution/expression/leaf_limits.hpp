// SPDX-License-Identifier: Apache-2.0
// How large and small the numbers of a distribution may be, so that what is made of them is a double: fourth powers of
// many copies, squares of third powers. Pure, thread safe.
#pragma once

#include <optional>
#include <string>

#include "foretask/result.hpp"

namespace foretask::distribution {

inline constexpr double kMostSize = 1e50;  // of a value
inline constexpr double kLeastSpread = 1e-50;
inline constexpr double kMostLogarithm = 115;  // of a value
inline constexpr double kMostSigma = 20;  // of a lognormal distribution: any quantile that is asked for is a double
// Below, most of the mass is at values that are no doubles; above, doubles do not tell the values apart.
inline constexpr double kLeastShape = 0.01;
inline constexpr double kLeastWeibullShape = 0.04;  // of smaller ones the quantiles of sums are beyond doubles
inline constexpr double kMostShape = 1e6;
inline constexpr double kMostBeta = 1e18;
inline constexpr double kMostSkewness = 1e3;
inline constexpr double kMostKurtosis = 1e12;
inline constexpr double kLeastExponent = -10;  // of a generalized lambda distribution: quantiles are doubles
inline constexpr double kMostExponent = 1e6;

// A parameter, and where it may be.
struct Parameter {
  std::string name;
  double value;
  double least;
  double most;
};
[[nodiscard]] Parameter place(std::string name, double value);
[[nodiscard]] Parameter spread(std::string name, double value);

// Why not, or nothing: "gamma: the shape must be above 0, not -1".
[[nodiscard]] std::optional<Error> refused(const std::string& family, const Parameter& parameter);

[[nodiscard]] std::string number(double value);  // as %g
[[nodiscard]] Error wrong(const std::string& family, const std::string& name, const std::string& should, double value);

}  // namespace foretask::distribution
