// SPDX-License-Identifier: Apache-2.0
// The lasso with its alpha by cross-validation: folds of contiguous rows, the alpha (of all knots of all folds' paths)
// with the least mean squared error over the rows left out, then all rows at that alpha. What scikit-learn's
// LassoLarsCV does on scaled columns, which Namsraijav and Taura fit their models with. Any thread.
#pragma once

#include <Eigen/Core>

#include "foretask/result.hpp"

namespace foretask::predict {

struct LassoOptions {
  bool intercept = true;      // a constant beside the columns, neither penalised nor held above zero
  bool non_negative = false;  // the columns' coefficients
  int folds = 5;              // as many as rows where there are fewer
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
