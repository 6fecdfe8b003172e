// SPDX-License-Identifier: Apache-2.0
#include "predict/published/lasso.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "predict/published/lars.hpp"

namespace foretask::predict {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

// A column whose rows differ by rounding only: what is left of it about its mean, as a share of its length.
constexpr double kConstant = 1e-13;

// The rows left out, predicted along the path of the others.
struct Fold {
  LassoPath path;
  MatrixXd residuals;  // of the rows left out (rows) at each knot (columns)
};

Fold fold_of(const MatrixXd& x, const VectorXd& y, const LassoOptions& options, Index begin, Index end) {
  const Index held_out = end - begin;
  MatrixXd others(x.rows() - held_out, x.cols());
  others << x.topRows(begin), x.bottomRows(x.rows() - end);
  VectorXd target(others.rows());
  target << y.head(begin), y.tail(y.size() - end);
  RowVectorXd centre = RowVectorXd::Zero(x.cols());
  double level = 0;
  if (options.intercept) {
    centre = others.colwise().mean();
    level = target.mean();
    others.rowwise() -= centre;
    target.array() -= level;
  }
  Fold fold{lasso_path(others, target, options.non_negative), {}};
  const MatrixXd asked = x.middleRows(begin, held_out).rowwise() - centre;
  const VectorXd wanted = y.segment(begin, held_out).array() - level;
  fold.residuals.resize(held_out, static_cast<Index>(fold.path.alphas.size()));
  for (std::size_t i = 0; i < fold.path.alphas.size(); ++i)
    fold.residuals.col(static_cast<Index>(i)) = wanted - asked * fold.path.coefficients[i];
  return fold;
}

// The mean of its squared residuals at each of `alphas` (falling); the residuals are linear between knots.
void add_errors(const Fold& fold, const std::vector<double>& alphas, VectorXd& errors) {
  std::size_t knot = 0;  // alphas[i] lies between this one and the next
  const std::vector<double>& knots = fold.path.alphas;
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    while (knot + 1 < knots.size() && knots[knot + 1] >= alphas[i]) ++knot;
    VectorXd residuals = fold.residuals.col(static_cast<Index>(knot));
    if (alphas[i] < knots[knot] && knot + 1 < knots.size()) {
      const double share = (knots[knot] - alphas[i]) / (knots[knot] - knots[knot + 1]);
      residuals += share * (fold.residuals.col(static_cast<Index>(knot) + 1) - residuals);
    }
    errors[static_cast<Index>(i)] += residuals.squaredNorm() / static_cast<double>(residuals.size());
  }
}

// Of equally good ones the smallest.
double best_alpha(const MatrixXd& x, const VectorXd& y, const LassoOptions& options) {
  const Index count = std::clamp<Index>(options.folds, 2, x.rows());
  std::vector<Fold> folds;
  std::vector<double> alphas;
  for (Index i = 0, begin = 0; i < count; ++i) {
    const Index end = begin + x.rows() / count + (i < x.rows() % count ? 1 : 0);
    folds.push_back(fold_of(x, y, options, begin, end));
    alphas.insert(alphas.end(), folds.back().path.alphas.begin(), folds.back().path.alphas.end());
    begin = end;
  }
  std::sort(alphas.begin(), alphas.end(), std::greater<>());
  alphas.erase(std::unique(alphas.begin(), alphas.end()), alphas.end());
  VectorXd errors = VectorXd::Zero(static_cast<Index>(alphas.size()));
  for (const Fold& fold : folds) add_errors(fold, alphas, errors);
  double best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    if (errors[static_cast<Index>(i)] > least) continue;
    least = errors[static_cast<Index>(i)];
    best = alphas[i];
  }
  return best;
}

}  // namespace

Result<LassoFit> cross_validated_lasso(const MatrixXd& columns, const VectorXd& y, const LassoOptions& options) {
  if (columns.rows() < 2) return Error{"cross-validation needs two rows, here are " + std::to_string(columns.rows())};
  if (!columns.allFinite() || !y.allFinite()) return Error{"a number to be fitted is not finite"};
  LassoFit fit;
  fit.coefficients = VectorXd::Zero(columns.cols());
  const double scale = options.intercept ? (y.array() - y.mean()).matrix().norm() : y.norm();
  const RowVectorXd centre =
      options.intercept ? RowVectorXd(columns.colwise().mean()) : RowVectorXd::Zero(columns.cols());
  MatrixXd x = columns.rowwise() - centre;
  VectorXd lengths = x.colwise().norm();
  for (Index j = 0; j < x.cols(); ++j)
    if (lengths[j] <= kConstant * columns.col(j).norm()) lengths[j] = 0;
  if (scale > kConstant * y.norm()) {
    for (Index j = 0; j < x.cols(); ++j) {
      if (lengths[j] == 0)
        x.col(j).setZero();
      else
        x.col(j) /= lengths[j];
    }
    const VectorXd target = (options.intercept ? VectorXd(y.array() - y.mean()) : y) / scale;
    fit.alpha = best_alpha(x, target, options);
    const VectorXd scaled = lasso_path(x, target, options.non_negative).at(fit.alpha);
    for (Index j = 0; j < x.cols(); ++j)
      if (lengths[j] != 0) fit.coefficients[j] = scaled[j] * scale / lengths[j];
  }
  if (options.intercept) fit.intercept = y.mean() - centre.dot(fit.coefficients);
  return fit;
}

}  // namespace foretask::predict
