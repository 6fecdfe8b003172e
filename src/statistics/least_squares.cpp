// SPDX-License-Identifier: Apache-2.0
#include "statistics/least_squares.hpp"

#include <Eigen/QR>
#include <cmath>
#include <string>

namespace foretask::statistics {
namespace {

// 2^e with x / 2^e in [0.5, 1): dividing by it rounds nothing.
double power_of_two(double x) {
  if (!(x > 0)) return 1;
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, exponent);
}

}  // namespace

Result<LeastSquares> least_squares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y,
                                   const Eigen::VectorXd& spread, bool has_constant) {
  const Eigen::Index rows = columns.rows();
  const bool weighted = spread.size() != 0;
  Eigen::MatrixXd scaled = columns;
  const double y_scale = power_of_two(y.size() == 0 ? 0 : y.cwiseAbs().maxCoeff());
  Eigen::VectorXd target = y / y_scale;
  if (weighted) {
    scaled.array().colwise() /= spread.array();
    target.array() /= spread.array();
  }
  Eigen::VectorXd scales(columns.cols());
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    scales[j] = power_of_two(scaled.col(j).stableNorm());
    scaled.col(j) /= scales[j];
  }

  LeastSquares fit;
  OrthonormalBasis basis(rows, columns.cols());
  for (Eigen::Index j = 0; j < columns.cols(); ++j) (basis.add(scaled.col(j)) ? fit.kept : fit.dropped).push_back(j);
  const auto count = static_cast<Eigen::Index>(fit.kept.size());
  if (rows <= count || count == 0)
    return Error{.what = std::to_string(rows) + (rows == 1 ? " row" : " rows") + " cannot carry a model of " +
                         std::to_string(count) + (count == 1 ? " term" : " terms") +
                         ": one row more than terms is needed"};
  Eigen::MatrixXd x(rows, count);
  for (Eigen::Index j = 0; j < count; ++j) x.col(j) = scaled.col(fit.kept[static_cast<std::size_t>(j)]);

  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(x);
  Eigen::VectorXd b = qr.solve(target);
  b += qr.solve(target - x * b);
  fit.residuals = (target - x * b) * y_scale;

  const auto r = qr.matrixR().topLeftCorner(count, count).template triangularView<Eigen::Upper>();
  const Eigen::MatrixXd inverse = r.solve(Eigen::MatrixXd::Identity(count, count));
  fit.coefficients.resize(count);
  fit.unscaled_errors.resize(count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const Eigen::Index place = qr.colsPermutation().indices()[j];
    const double scale = scales[fit.kept[static_cast<std::size_t>(place)]];
    fit.unscaled_errors[place] = inverse.row(j).norm() / scale;
  }
  for (Eigen::Index j = 0; j < count; ++j)
    fit.coefficients[j] = b[j] * y_scale / scales[fit.kept[static_cast<std::size_t>(j)]];

  Eigen::MatrixXd q = Eigen::MatrixXd::Identity(rows, count);
  q.applyOnTheLeft(qr.householderQ());
  fit.leverage = q.rowwise().squaredNorm();

  Eigen::VectorXd explained = x * b * y_scale;  // weighted
  fit.fitted = weighted ? explained.cwiseProduct(spread).eval() : explained;
  fit.rss = fit.residuals.squaredNorm();
  if (has_constant) {
    const Eigen::VectorXd weight = weighted ? spread.cwiseInverse().eval() : Eigen::VectorXd::Ones(rows);
    const double mean = weight.dot(explained) / weight.squaredNorm();
    explained -= mean * weight;
  }
  fit.explained = explained.squaredNorm();
  fit.freedom = static_cast<double>(rows - count);
  fit.sigma = std::sqrt(fit.rss / fit.freedom);
  return fit;
}

}  // namespace foretask::statistics
