// SPDX-License-Identifier: Apache-2.0
#include "model/fit/hold_out.hpp"

#include <cmath>
#include <vector>

#include "statistics/quantile.hpp"

namespace foretask::model {
namespace {

constexpr double kShare = 0.1;
constexpr std::size_t kMinRows = 20;

}  // namespace

std::optional<LargestPredicted> predict_largest(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y,
                                                const RobustFit& fit, bool has_constant) {
  const double limit = statistics::quantile({fit.fitted.begin(), fit.fitted.end()}, 1 - kShare);
  std::vector<bool> small = fit.use;
  std::vector<Eigen::Index> large;
  for (std::size_t i = 0; i < small.size(); ++i) {
    if (!small[i] || fit.fitted[static_cast<Eigen::Index>(i)] <= limit) continue;
    small[i] = false;
    large.push_back(static_cast<Eigen::Index>(i));
  }
  if (large.size() < kMinRows) return std::nullopt;
  const bool weighted = fit.spread.size() != 0;
  const Eigen::VectorXd spread = weighted ? Eigen::VectorXd(rows_of(fit.spread, small)) : Eigen::VectorXd();
  const auto smaller = statistics::least_squares(rows_of(columns, small), rows_of(y, small), spread, has_constant);
  if (!smaller) return std::nullopt;

  LargestPredicted result;
  result.hold_out.rows = large.size();
  std::vector<double> errors;
  double predicted_total = 0;
  double actual_total = 0;
  for (const Eigen::Index i : large) {
    double predicted = 0;
    for (std::size_t j = 0; j < smaller->kept.size(); ++j)
      predicted += smaller->coefficients[static_cast<Eigen::Index>(j)] * columns(i, smaller->kept[j]);
    const double residual = (y[i] - predicted) / (weighted ? fit.spread[i] : 1.0);
    result.mean_square += residual * residual / static_cast<double>(large.size());
    predicted_total += predicted;
    actual_total += y[i];
    if (y[i] != 0) errors.push_back(100 * std::abs(predicted / y[i] - 1));
  }
  result.hold_out.median_error_pct = statistics::median(std::move(errors));
  if (actual_total != 0) result.hold_out.total_error_pct = 100 * std::abs(predicted_total / actual_total - 1);
  if (smaller->sigma > 0) result.hold_out.spread_ratio = std::sqrt(result.mean_square) / smaller->sigma;
  return result;
}

}  // namespace foretask::model
