// SPDX-License-Identifier: Apache-2.0
// What residuals say about a fit. Cold.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "foretask/analysis/model_fit.hpp"
#include "statistics/least_squares.hpp"

namespace foretask::model {

struct Shape {
  double skewness = 0;
  double excess_kurtosis = 0;
};

[[nodiscard]] Shape shape_of(const Eigen::VectorXd& values);

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

}  // namespace foretask::model
