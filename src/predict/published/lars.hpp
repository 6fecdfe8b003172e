// SPDX-License-Identifier: Apache-2.0
// The whole lasso path by least-angle regression: for every alpha the b that makes
// |y - X b|^2 / (2 rows) + alpha |b|_1 smallest. Efron, Hastie, Johnstone and Tibshirani, "Least Angle Regression",
// Annals of Statistics 32 (2004), with their lasso modification: a coefficient that reaches zero leaves. Any thread;
// O(columns^3) a knot.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace foretask::predict {

// Between two knots the coefficients are linear in alpha; above the first one all are zero.
struct LassoPath {
  std::vector<double> alphas;  // falling; the last one 0, unless the path has more knots than any sensible one
  std::vector<Eigen::VectorXd> coefficients;  // one a knot

  [[nodiscard]] Eigen::VectorXd at(double alpha) const;
};

// X and y as they are: centre and scale them before. At least one row, everything finite. With `non_negative` no
// coefficient falls below zero, and at alpha = 0 stands the non-negative least-squares answer. A column that is zero or
// depends on those already in the model stays out.
[[nodiscard]] LassoPath lasso_path(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y, bool non_negative);

}  // namespace foretask::predict
