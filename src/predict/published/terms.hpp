// SPDX-License-Identifier: Apache-2.0
// The terms of n that Namsraijav and Taura's formulas are sums of, and formulas as text. Any thread.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

namespace foretask::predict {

// Numbers in kLawTerms (growth_terms.hpp).
extern const std::span<const int> kSerialWorkTerms;       // eq. 11 as printed, without its constant
extern const std::span<const int> kSerialWorkNLogNTerms;  // with n log(n) in place of log(n)
extern const std::span<const int> kTaskCountTerms;        // eq. 13 and 14
extern const std::span<const int> kNoWorkTerms;           // eq. 15

[[nodiscard]] Eigen::RowVectorXd growth_row(std::span<const int> terms, double n);

// "1.5 * n + 2 * n^2", without the coefficients that are 0; "0" where none is left. "1" is the constant.
[[nodiscard]] std::string sum_text(std::span<const std::string> terms, const Eigen::VectorXd& coefficients);

}  // namespace foretask::predict
