// SPDX-License-Identifier: Apache-2.0
// Which terms explain a target: a search by additions, removals and exchanges, each judged by the same criterion,
//   independent n ln(RSS / n) + (terms + 1) ln n + what it costs to name the terms,
// the Bayesian information criterion with the number of candidates counted in. The constant is in every model. Cold;
// O(rows * candidates * terms) a step.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "model/fit/candidates.hpp"

namespace foretask::model {

// Of the candidates, ascending. `spread` as for least_squares(); `use` says which rows count. No more than max_terms
// are chosen. `independent`: the share of the rows that says something the others do not.
[[nodiscard]] std::vector<Eigen::Index> select_terms(const Candidates& candidates, const Eigen::VectorXd& y,
                                                     const Eigen::VectorXd& spread, const std::vector<bool>& use,
                                                     std::size_t max_terms, double independent);

// The best single addition to the columns `given`, and by how much the criterion falls with it; term -1 where every
// candidate depends on them.
struct Addition {
  Eigen::Index term = -1;
  double gain = 0;
  double explains = 0;  // share of the residual sum of squares
};
[[nodiscard]] Addition best_addition(const Candidates& candidates, const Eigen::VectorXd& y,
                                     const Eigen::VectorXd& spread, const std::vector<bool>& use,
                                     const Eigen::MatrixXd& given);

}  // namespace foretask::model
