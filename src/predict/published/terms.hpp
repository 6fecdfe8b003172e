// SPDX-License-Identifier: Apache-2.0
// The terms of n that Namsraijav and Taura's formulas are sums of, and formulas as text. Any thread.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

namespace foretask::predict {

struct GrowthTerm {
  const char* text;
  double (*value)(double n);
};

// Natural logarithms. log(n) is 0 below n = 1 and log(log(n)) is 0 below n = e: the one would be negative there, the
// other undefined or negative, and a non-negative coefficient could not make up for it.
extern const std::span<const GrowthTerm> kSerialWorkTerms;       // eq. 11 as printed, without its constant
extern const std::span<const GrowthTerm> kSerialWorkNLogNTerms;  // with n log(n) in place of log(n)
extern const std::span<const GrowthTerm> kTaskCountTerms;        // eq. 13 and 14
extern const std::span<const GrowthTerm> kNoWorkTerms;           // eq. 15

[[nodiscard]] Eigen::RowVectorXd growth_row(std::span<const GrowthTerm> terms, double n);

// "1.5 * n + 2 * n^2", without the coefficients that are 0; "0" where none is left. An empty text stands for the
// constant.
[[nodiscard]] std::string sum_text(std::span<const std::string> terms, const Eigen::VectorXd& coefficients);

}  // namespace foretask::predict
