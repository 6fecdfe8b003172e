// SPDX-License-Identifier: Apache-2.0
// What is to be said about a fit, in words: a parameter seems to be missing, overfitted, proportional noise, outliers.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "foretask/analysis/data_table.hpp"
#include "foretask/analysis/model_fit.hpp"
#include "model/fit/noise.hpp"
#include "model/fit/term.hpp"

namespace foretask::model {

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
