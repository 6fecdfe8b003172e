// SPDX-License-Identifier: Apache-2.0
// Least squares with a few columns, thousands of times over: by a Householder QR, and without an allocation for what
// belongs to columns alone. least_squares.hpp says more of a fit, and costs more.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/least_squares.hpp"

namespace foretask::statistics {

template <int most>
struct FewColumns {
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1>;
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;
  using Design = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, Eigen::Dynamic, most>;

  Vector coefficients;
  Square covariance;  // for residuals of variance 1

  // Of a row of the columns' values: what the fit says, and its variance.
  [[nodiscard]] double value(const Vector& row) const {
    return std::inner_product(coefficients.begin(), coefficients.end(), row.begin(), 0.0);
  }
  [[nodiscard]] double variance(const Vector& row) const { return std::max(row.dot(covariance * row), 0.0); }

  // `design` is used up, `target` becomes the residuals. False where a column is 0 or depends on those before it
  // (kDependenceTolerance).
  [[nodiscard]] bool solve(Design& design, Eigen::VectorXd& target) {
    const Eigen::Index count = design.cols();
    if (design.rows() < count) return false;
    const Vector lengths = design.colwise().norm();
    const Eigen::HouseholderQR<Eigen::Ref<Design>> qr(design);
    const Square upper = design.topRows(count).template triangularView<Eigen::Upper>();
    for (Eigen::Index j = 0; j < count; ++j)
      if (!(std::abs(upper(j, j)) > kDependenceTolerance * lengths(j))) return false;
    const Square inverse = upper.template triangularView<Eigen::Upper>().solve(Square::Identity(count, count)).eval();
    target.applyOnTheLeft(qr.householderQ().adjoint());
    coefficients = inverse * target.head(count);
    covariance = inverse * inverse.transpose();
    target.head(count).setZero();
    target.applyOnTheLeft(qr.householderQ());
    return coefficients.allFinite() && covariance.allFinite();
  }
};

}  // namespace foretask::statistics
