// SPDX-License-Identifier: Apache-2.0
// Linear least squares: columns scaled by powers of two, dependent ones left out in the order given, then a
// column-pivoting Householder QR with one step of refinement. Any thread; O(rows * columns^2).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <utility>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::statistics {

// A column depends on others when what they do not explain of it is less than this of its length: R's rule.
inline constexpr double kDependenceTolerance = 1e-7;

// What columns span, one column after another: Gram and Schmidt's orthogonalization, twice for its rounding. One
// thread; O(rows * columns) a column.
class OrthonormalBasis {
 public:
  OrthonormalBasis(Eigen::Index rows, Eigen::Index most_columns) : q_(rows, most_columns) {}

  // False where the column depends on those before it, and nothing is added.
  bool add(Eigen::VectorXd column) {
    const double length = column.norm();
    column = rest_of(std::move(column));
    const double left = column.norm();
    if (!(left > kDependenceTolerance * length)) return false;
    q_.col(rank_++) = column / left;
    return true;
  }

  // The basis: columns of length 1, at right angles to each other.
  [[nodiscard]] auto q() const { return q_.leftCols(rank_); }

  // What the basis does not explain of a column.
  [[nodiscard]] Eigen::VectorXd rest_of(Eigen::VectorXd column) const {
    for (int pass = 0; pass < 2; ++pass) column -= q() * (q().transpose() * column).eval();
    return column;
  }

 private:
  Eigen::MatrixXd q_;
  Eigen::Index rank_ = 0;
};

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

// Columns that depend on those before them are left out (kDependenceTolerance).
// `spread`: the standard deviations of the rows' noise up to a factor, all positive; empty where it is the same.
// `has_constant`: the first column is the constant 1. Errors: no row more than columns.
[[nodiscard]] Result<LeastSquares> least_squares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y,
                                                 const Eigen::VectorXd& spread, bool has_constant);

}  // namespace foretask::statistics
