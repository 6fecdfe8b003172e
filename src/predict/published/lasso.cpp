// SPDX-License-Identifier: Apache-2.0
#include "predict/published/lasso.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace foretask::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

// What the model's columns leave of a column, as a share of its length, below which it counts as one of their sums.
constexpr double kDependence = 1e-10;

// The path turns where a column joins or leaves.
struct Turn {
  double alpha = 0;
  Index column = -1;  // -1: none before alpha = 0
  double sign = 0;    // of a column that joins; 0: it leaves
};

class Path {
 public:
  Path(const MatrixXd& columns, const VectorXd& y, bool non_negative)
      : rows_(static_cast<double>(columns.rows())), x_(columns), y_(y), non_negative_(non_negative) {
    // The same sums of squares in as many rows as columns.
    if (x_.rows() > x_.cols() + 1) {
      MatrixXd both(x_.rows(), x_.cols() + 1);
      both << x_, y_;
      const Eigen::HouseholderQR<MatrixXd> qr(both);
      const MatrixXd upper = qr.matrixQR().topRows(x_.cols() + 1).triangularView<Eigen::Upper>();
      x_ = upper.leftCols(upper.cols() - 1);
      y_ = upper.rightCols(1);
    }
    lengths_ = x_.colwise().norm();
    sign_ = VectorXd::Zero(x_.cols());
  }

  LassoPath walk() {
    LassoPath path;
    alpha_ = 0;
    const VectorXd gradient = x_.transpose() * y_ / rows_;
    for (Index j = 0; j < x_.cols(); ++j)
      alpha_ = std::max(alpha_, non_negative_ ? gradient[j] : std::abs(gradient[j]));
    note(path, VectorXd::Zero(x_.cols()));
    // A path may in theory have 3^columns knots; one of real data has a few for each column.
    for (Index turns = 100 + 20 * x_.cols(); turns > 0 && alpha_ > 0; --turns) {
      solve();
      const Turn turn = next_turn();
      if (turn.alpha < alpha_) left_here_.clear();
      alpha_ = turn.alpha;
      if (turn.column >= 0 && turn.sign == 0) left_here_.emplace_back(turn.column, sign_[turn.column]);
      note(path, coefficients(turn));
      if (turn.column >= 0) change(turn);
    }
    return path;
  }

 private:
  // On the present piece of the path the coefficients of the model's columns are free_ - alpha * shrink_.
  void solve() {
    const auto count = static_cast<Index>(model_.size());
    free_ = shrink_ = VectorXd::Zero(count);
    fitted_ = pulled_ = VectorXd::Zero(x_.rows());
    if (count == 0) return;
    MatrixXd used(x_.rows(), count);
    VectorXd signs(count);
    for (Index i = 0; i < count; ++i) {
      used.col(i) = x_.col(model_[i]);
      signs[i] = sign_[model_[i]];
    }
    const Eigen::HouseholderQR<MatrixXd> qr(used);
    const auto upper = qr.matrixQR().topRows(count).triangularView<Eigen::Upper>();
    q_ = qr.householderQ() * MatrixXd::Identity(x_.rows(), count);
    const VectorXd along = q_.transpose() * y_;
    const VectorXd pull = rows_ * upper.transpose().solve(signs);
    free_ = upper.solve(along);
    shrink_ = upper.solve(pull);
    fitted_ = q_ * along;
    pulled_ = q_ * pull;
  }

  [[nodiscard]] bool depends(Index column) const {
    if (lengths_[column] == 0) return true;
    if (model_.empty()) return false;
    const VectorXd left = x_.col(column) - q_ * (q_.transpose() * x_.col(column));
    return left.norm() <= kDependence * lengths_[column];
  }

  [[nodiscard]] bool has_left_here(Index column, double sign) const {
    return std::find(left_here_.begin(), left_here_.end(), std::pair(column, sign)) != left_here_.end();
  }

  [[nodiscard]] Turn next_turn() const {
    Turn next;
    const VectorXd residual = y_ - fitted_;
    for (Index j = 0; j < x_.cols(); ++j) {
      if (sign_[j] != 0 || depends(j)) continue;
      // Its correlation with the residual is start + alpha * slope, and it joins where that reaches sign * alpha,
      // coming from below.
      const double start = x_.col(j).dot(residual) / rows_;
      const double slope = x_.col(j).dot(pulled_) / rows_;
      for (const double sign : {1.0, -1.0}) {
        if ((sign < 0 && non_negative_) || has_left_here(j, sign)) continue;
        const double gap = 1 - sign * slope;
        if (gap <= 0 || sign * start <= 0) continue;
        const double alpha = std::min(sign * start / gap, alpha_);
        if (alpha > next.alpha) next = {alpha, j, sign};
      }
    }
    for (std::size_t i = 0; i < model_.size(); ++i) {
      const auto at = static_cast<Index>(i);
      if (sign_[model_[i]] * shrink_[at] >= 0) continue;  // grows
      const double alpha = std::min(free_[at] / shrink_[at], alpha_);
      if (alpha > next.alpha) next = {alpha, model_[i], 0};
    }
    return next;
  }

  [[nodiscard]] VectorXd coefficients(const Turn& turn) const {
    VectorXd all = VectorXd::Zero(x_.cols());
    for (std::size_t i = 0; i < model_.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const double value = free_[at] - alpha_ * shrink_[at];
      // A column that leaves or has just come is at zero, whatever rounding made of it.
      if (model_[i] != turn.column && value * sign_[model_[i]] > 0) all[model_[i]] = value;
    }
    return all;
  }

  void change(const Turn& turn) {
    sign_[turn.column] = turn.sign;
    if (turn.sign != 0)
      model_.push_back(turn.column);
    else
      model_.erase(std::find(model_.begin(), model_.end(), turn.column));
  }

  void note(LassoPath& path, VectorXd coefficients) const {
    if (!path.alphas.empty() && path.alphas.back() == alpha_) {
      path.coefficients.back() = std::move(coefficients);
      return;
    }
    path.alphas.push_back(alpha_);
    path.coefficients.push_back(std::move(coefficients));
  }

  double rows_;
  MatrixXd x_;
  VectorXd y_;
  bool non_negative_;
  VectorXd lengths_;
  double alpha_ = 0;
  VectorXd sign_;             // of each column's coefficient; 0: not in the model
  std::vector<Index> model_;  // the columns in it
  // Those that left at this alpha, and their signs: below it they first move away from where they would come back.
  std::vector<std::pair<Index, double>> left_here_;
  // Of the present piece of the path.
  MatrixXd q_;  // orthonormal, of the model's columns
  VectorXd free_, shrink_;
  VectorXd fitted_, pulled_;  // X free_, X shrink_
};

// A column whose rows differ by rounding only: what is left of it about its mean, as a share of its length.
constexpr double kConstant = 1e-13;

constexpr Index kFolds = 5;  // as many as rows where there are fewer

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
  const Index count = std::clamp<Index>(kFolds, 2, x.rows());
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

Eigen::VectorXd LassoPath::at(double alpha) const {
  if (alpha >= alphas.front()) return coefficients.front();
  for (std::size_t i = 1; i < alphas.size(); ++i) {
    if (alpha < alphas[i]) continue;
    const double share = (alphas[i - 1] - alpha) / (alphas[i - 1] - alphas[i]);
    return coefficients[i - 1] + share * (coefficients[i] - coefficients[i - 1]);
  }
  return coefficients.back();
}

LassoPath lasso_path(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y, bool non_negative) {
  return Path(columns, y, non_negative).walk();
}

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
