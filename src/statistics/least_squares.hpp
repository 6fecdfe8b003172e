// SPDX-License-Identifier: Apache-2.0
// Linear least squares: columns scaled by powers of two, dependent ones left out in the order given, then a
// column-pivoting Householder QR with one step of refinement. Any thread; O(rows * columns^2).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::statistics {

struct LeastSquares {
  std::vector<Eigen::Index> kept;     // columns, in the order given
  std::vector<Eigen::Index> dropped;  // depend on columns before them
  // One a kept column.
  Eigen::VectorXd coefficients;
  Eigen::VectorXd unscaled_errors;  // a standard error is sigma times this
  // One a row.
  Eigen::VectorXd fitted;
  Eigen::VectorXd residuals;  // (y - fitted) / spread
  Eigen::VectorXd leverage;
  double rss = 0;        // of `residuals`
  double explained = 0;  // sum of squares, weighted, about the mean where there is a constant: R's summary.lm
  double freedom = 0;    // rows - kept columns
  double sigma = 0;      // sqrt(rss / freedom); of the residuals, so relative where spread is the fit
};

// Columns that depend on those before them are left out (kDependenceTolerance in orthonormal_basis.hpp).
// `spread`: the standard deviations of the rows' noise up to a factor, all positive; empty where it is the same.
// `has_constant`: the first column is the constant 1. Errors: no row more than columns.
[[nodiscard]] Result<LeastSquares> least_squares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y,
                                                 const Eigen::VectorXd& spread, bool has_constant);

}  // namespace foretask::statistics
