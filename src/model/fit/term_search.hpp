// SPDX-License-Identifier: Apache-2.0
// Which terms explain a target: a search by additions, removals and exchanges, each judged by the same criterion,
//   independent n ln(RSS / n) + (terms + 1) ln n + what it costs to name the terms,
// the Bayesian information criterion with the number of candidates counted in. The constant is in every model. Cold;
// O(rows * candidates * terms) a step.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "foretask/analysis/data_table.hpp"
#include "model/fit/term.hpp"

namespace foretask::model {

// The terms that a search tries: products of up to three parameters with exponents 0..3 and a degree of at most 3,
// logarithms, n*log(n), ratios. Cold.
struct Candidates {
  std::vector<Term> terms;     // without the constant
  Eigen::MatrixXd values;      // a column a term
  std::vector<double> naming;  // what it costs to name the term, in units of -2 ln(probability)
  int degree = 3;              // lower where there are many parameters
};

// Over `parameters`, columns of `table`, at the given rows. Terms that cannot be had there (a logarithm of what is not
// positive) or do not vary are not in it.
[[nodiscard]] Candidates make_candidates(const analysis::DataTable& table, const std::vector<std::string>& parameters,
                                         const std::vector<Eigen::Index>& rows);

// Rows for a search: all of them, or where that would take too much memory and time as many as reasonable, taken
// evenly at random, the same ones each time.
[[nodiscard]] std::vector<Eigen::Index> search_rows(std::size_t rows, std::size_t parameters);

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
