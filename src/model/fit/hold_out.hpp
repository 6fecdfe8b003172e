// SPDX-License-Identifier: Apache-2.0
// The guard against overfitting: the same terms fitted to the smaller rows and asked for the largest. Cold.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "foretask/analysis/model_fit.hpp"
#include "model/fit/noise.hpp"

namespace foretask::model {

struct LargestPredicted {
  double mean_square = 0;  // of the held-out rows' residuals, over their spread
  analysis::HoldOut hold_out;
};

// The tenth of the rows with the largest fitted values by `fit` (whose spread and outliers are kept) is held out.
// Nothing where that is fewer than 20 rows.
[[nodiscard]] std::optional<LargestPredicted> predict_largest(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y,
                                                              const RobustFit& fit, bool has_constant);

}  // namespace foretask::model
