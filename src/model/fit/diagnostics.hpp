// SPDX-License-Identifier: Apache-2.0
// What residuals say about a fit. Cold.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "foretask/analysis/data_table.hpp"
#include "foretask/analysis/model_fit.hpp"
#include "model/fit/noise.hpp"
#include "model/fit/term.hpp"
#include "statistics/least_squares.hpp"

namespace foretask::model {

// Jarque and Bera's test; nothing of fewer than 8 values or of values that do not vary.
[[nodiscard]] std::optional<analysis::TestResult> normality(const Eigen::VectorXd& residuals);

// Koenker's studentized form of Breusch and Pagan's test: rows * R^2 of the squared residuals on the constant and
// `columns`. Nothing where none of those varies.
[[nodiscard]] std::optional<analysis::TestResult> breusch_pagan(const Eigen::MatrixXd& columns,
                                                                const Eigen::VectorXd& residuals);

// Externally studentized: each residual over its standard deviation as the other rows give it. Empty where the rows are
// too few.
[[nodiscard]] Eigen::VectorXd studentized(const statistics::LeastSquares& fit);

// At most ten bins of equally many rows, by fitted value.
[[nodiscard]] std::vector<analysis::FitBin> bins_by_fit(const Eigen::VectorXd& fitted,
                                                        const Eigen::VectorXd& residuals);

// What is to be said about a fit, in words: a parameter seems to be missing, overfitted, proportional noise, outliers.
struct AdviceInput {
  const analysis::DataTable& table;
  const analysis::ModelFit& fit;   // whole but for the warnings
  const std::vector<Term>& terms;  // of `columns`
  const Eigen::MatrixXd& columns;  // of the terms kept, all rows
  const Eigen::VectorXd& y;
  const RobustFit& best;  // under the likelier kind of noise
  double better_by = 0;   // its score below the other kind's
};

[[nodiscard]] std::vector<std::string> advise(const AdviceInput& input);

}  // namespace foretask::model
