// SPDX-License-Identifier: Apache-2.0
// What columns span, one column after another: Gram and Schmidt's orthogonalization, twice for its rounding. One
// thread; O(rows * columns) a column.
#pragma once

#include <Eigen/Core>
#include <utility>

namespace foretask::statistics {

// A column depends on others when what they do not explain of it is less than this of its length: R's rule.
inline constexpr double kDependenceTolerance = 1e-7;

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

}  // namespace foretask::statistics
