// SPDX-License-Identifier: Apache-2.0
// The terms that a search tries: products of up to three parameters with exponents 0..3 and a degree of at most 3,
// logarithms, n*log(n), ratios. Cold.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "foretask/analysis/data_table.hpp"
#include "model/fit/term.hpp"

namespace foretask::model {

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

}  // namespace foretask::model
