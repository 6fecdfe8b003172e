// SPDX-License-Identifier: Apache-2.0
// A program's runs by n, then p, as columns for a fit. Refers to the runs; const and thread safe.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foretask/analysis/program_table.hpp"
#include "foretask/result.hpp"
#include "predict/program/program_form.hpp"

namespace foretask::predict {

// Columns of a fit, by n and p.
using Row = std::function<Eigen::RowVectorXd(double n, double p)>;

struct RunTable {
  std::vector<const analysis::ProgramRun*> rows;
  std::vector<double> sizes;    // the different n, rising
  std::vector<double> workers;  // the different p, rising

  using Member = double analysis::ProgramRun::*;
  [[nodiscard]] Eigen::VectorXd column(Member member) const;           // one a row
  [[nodiscard]] Eigen::MatrixXd columns(const Row& row) const;         // likewise
  [[nodiscard]] Eigen::VectorXd mean_by_size(Member member) const;     // over the rows of one n, for each of `sizes`
  [[nodiscard]] RunTable with_sizes(double least, double most) const;  // the rows with n from one to the other
};

[[nodiscard]] RunTable run_table(std::span<const analysis::ProgramRun> runs);

// What a model needs of a table.
struct Needs {
  std::size_t sizes = 1;
  std::size_t workers = 1;
  std::size_t rows = 2;
};

// A model whose time is a function of a sum of columns.
[[nodiscard]] std::unique_ptr<FittedProgram> linear_program(Row row, Eigen::VectorXd coefficients,
                                                            double (*time_of)(double sum), std::string formula);

// Why it is not there, or where a time or n is not above 0.
[[nodiscard]] std::optional<Error> lacking(const RunTable& table, const Needs& needs);

// "1.5 * n + 2 * n^2", without the coefficients that are 0; "0" where none is left. "1" is the constant.
[[nodiscard]] std::string sum_text(std::span<const std::string> terms, const Eigen::VectorXd& coefficients);

}  // namespace foretask::predict
