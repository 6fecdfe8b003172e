// SPDX-License-Identifier: Apache-2.0
// Least squares with a few columns, thousands of times over.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace foretask::predict {

// Up to `most` columns without an allocation for what belongs to columns alone.
template <int most>
struct FewColumns {
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1>;
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;
  using Design = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, Eigen::Dynamic, most>;

  Vector coefficients;
  Square covariance;  // for residuals of variance 1

  // Of a row of the columns' values: what the fit says, and its variance.
  [[nodiscard]] double value(const Vector& row) const {
    double sum = 0;
    for (Eigen::Index i = 0; i < row.size(); ++i) sum += coefficients(i) * row(i);
    return sum;
  }
  [[nodiscard]] double variance(const Vector& row) const {
    double sum = 0;
    for (Eigen::Index i = 0; i < row.size(); ++i)
      for (Eigen::Index j = 0; j < row.size(); ++j) sum += row(i) * covariance(i, j) * row(j);
    return std::max(sum, 0.0);
  }

  // By modified Gram-Schmidt on columns of length 1; `design` is used up, `target` becomes the residuals. False where a
  // column is 0 or depends on the others to one part in ten million.
  [[nodiscard]] bool solve(Design& design, Eigen::VectorXd& target) {
    constexpr double kSmallestPivot = 1e-7;
    const Eigen::Index count = design.cols();
    if (design.rows() < count) return false;
    Vector norms(count);
    Square upper = Square::Zero(count, count);
    coefficients.resize(count);
    for (Eigen::Index j = 0; j < count; ++j) {
      norms(j) = design.col(j).norm();
      if (!(norms(j) > 0) || !std::isfinite(norms(j))) return false;
      design.col(j) /= norms(j);
    }
    for (Eigen::Index j = 0; j < count; ++j) {
      upper(j, j) = design.col(j).norm();
      if (!(upper(j, j) > kSmallestPivot)) return false;
      design.col(j) /= upper(j, j);
      for (Eigen::Index k = j + 1; k < count; ++k) {
        upper(j, k) = design.col(j).dot(design.col(k));
        design.col(k) -= upper(j, k) * design.col(j);
      }
      coefficients(j) = design.col(j).dot(target);
      target -= coefficients(j) * design.col(j);
    }
    Square inverse = Square::Zero(count, count);
    for (Eigen::Index j = count; j-- > 0;) {
      inverse(j, j) = 1 / upper(j, j);
      for (Eigen::Index k = j + 1; k < count; ++k)
        for (Eigen::Index i = j + 1; i <= k; ++i) inverse(j, k) -= upper(j, i) * inverse(i, k) / upper(j, j);
    }
    const Vector rotated = coefficients;
    for (Eigen::Index j = 0; j < count; ++j) {
      coefficients(j) = 0;
      for (Eigen::Index k = j; k < count; ++k) coefficients(j) += inverse(j, k) * rotated(k);
      coefficients(j) /= norms(j);
    }
    covariance.resize(count, count);
    for (Eigen::Index j = 0; j < count; ++j)
      for (Eigen::Index k = 0; k < count; ++k) {
        double sum = 0;
        for (Eigen::Index i = std::max(j, k); i < count; ++i) sum += inverse(j, i) * inverse(k, i);
        covariance(j, k) = sum / (norms(j) * norms(k));
      }
    return coefficients.allFinite() && covariance.allFinite();
  }
};

}  // namespace foretask::predict
