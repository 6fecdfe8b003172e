// SPDX-License-Identifier: Apache-2.0
// The lasso with its alpha by cross-validation: folds of contiguous rows, the alpha (of all knots of all folds' paths)
// with the least mean squared error over the rows left out, then all rows at that alpha. What scikit-learn's
// LassoLarsCV does on scaled columns, which Namsraijav and Taura fit their models with. Any thread.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::predict {

// The whole lasso path by least-angle regression: for every alpha the b that makes
// |y - X b|^2 / (2 rows) + alpha |b|_1 smallest. Efron, Hastie, Johnstone and Tibshirani, "Least Angle Regression",
// Annals of Statistics 32 (2004), with their lasso modification: a coefficient that reaches zero leaves. Any thread;
// O(columns^3) a knot.
//
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

struct LassoOptions {
  bool intercept = true;      // a constant beside the columns, neither penalised nor held above zero
  bool non_negative = false;  // the columns' coefficients
};

struct LassoFit {
  double intercept = 0;
  Eigen::VectorXd coefficients;  // in the units of the columns as given
  double alpha = 0;              // of the columns scaled to length 1
};

// Columns are scaled to length 1, about their mean where there is an intercept; a constant one then gets 0. Errors:
// fewer than two rows, a number that is not finite.
[[nodiscard]] Result<LassoFit> cross_validated_lasso(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y,
                                                     const LassoOptions& options);

}  // namespace foretask::predict
