// SPDX-License-Identifier: Apache-2.0
// Fits that find out what noise there is: rows weighted where it is proportional, outliers left out. Cold.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "foretask/analysis/model_fit.hpp"
#include "foretask/result.hpp"
#include "statistics/least_squares.hpp"

namespace foretask::model {

struct RobustFit {
  analysis::Noise noise = analysis::Noise::kConstant;
  statistics::LeastSquares fit;  // of the rows used
  Eigen::VectorXd fitted;        // all rows
  Eigen::VectorXd spread;        // all rows; empty for constant noise
  Eigen::VectorXd z;             // (y - fitted) / spread, all rows
  std::vector<bool> use;         // false: an outlier
  std::size_t used = 0;
  bool heavy_tails = false;  // so many rows are far off that they are no outliers: all are used
  // -2 ln(likelihood) over all rows, outliers at a bounded price: comparable between kinds of noise.
  double score = 0;
};

// The first of `columns` is the constant 1. Proportional noise needs targets above 0.
[[nodiscard]] Result<RobustFit> robust_fit(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y,
                                           analysis::Noise noise, bool has_constant);

[[nodiscard]] bool may_be_proportional(const Eigen::VectorXd& y);

// Where a proportional spread begins, when all that is known is a fit without weights: an outlier that is too low must
// not weigh much, nor a fitted value that is.
[[nodiscard]] Eigen::VectorXd first_spread(const Eigen::VectorXd& y, const Eigen::VectorXd& fitted);

// Correlation of each residual with the one before it.
[[nodiscard]] double serial_correlation(const Eigen::VectorXd& residuals);

// The given rows of a matrix.
[[nodiscard]] Eigen::MatrixXd rows_of(const Eigen::MatrixXd& values, const std::vector<bool>& use);

// The guard against overfitting: the same terms fitted to the smaller rows and asked for the largest. Cold.
struct LargestPredicted {
  double mean_square = 0;  // of the held-out rows' residuals, over their spread
  analysis::HoldOut hold_out;
};

// The tenth of the rows with the largest fitted values by `fit` (whose spread and outliers are kept) is held out.
// Nothing where that is fewer than 20 rows.
[[nodiscard]] std::optional<LargestPredicted> predict_largest(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y,
                                                              const RobustFit& fit, bool has_constant);

}  // namespace foretask::model
