// SPDX-License-Identifier: Apache-2.0
// The time at once, without its parts: cross-validated lasso with non-negative coefficients over the products of eq.
// 11's terms of n (its constant included) and (1, 1 / p, (p - 1) / p, p - 1). What Namsraijav and Taura hold their two
// steps against ("Performance Modeling of Task Parallel Programs", section 1).
#include "predict/published/published_models.hpp"

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "predict/growth/growth_terms.hpp"
#include "predict/published/lasso.hpp"
#include "predict/published/run_table.hpp"

namespace foretask::predict {

namespace {

using analysis::ProgramRun;
using Eigen::Index;

constexpr std::array<const char*, 4> kWorkerTerms{"", "1/p", "(p-1)/p", "(p-1)"};

Eigen::RowVectorXd products(double n, double p) {
  Eigen::RowVectorXd sizes(static_cast<Index>(kSerialWorkTerms.size()) + 1);
  sizes << 1, growth_row(kSerialWorkTerms, n);
  Eigen::RowVectorXd row(sizes.size() * static_cast<Index>(kWorkerTerms.size()));
  row << sizes, sizes / p, sizes * ((p - 1) / p), sizes * (p - 1);
  return row;
}

}  // namespace

Result<std::unique_ptr<FittedProgram>> fit_one_step_lasso(std::span<const ProgramRun> runs) {
  const RunTable table = run_table(runs);
  if (const std::optional<Error> error = lacking(table, {.sizes = 3, .workers = 2, .rows = 6})) return *error;
  const Eigen::MatrixXd columns = table.columns(products);
  // The fit has its own constant.
  const auto fit = cross_validated_lasso(columns.rightCols(columns.cols() - 1), table.column(&ProgramRun::time),
                                         {.intercept = true, .non_negative = true});
  if (!fit) return fit.error();
  Eigen::VectorXd coefficients(columns.cols());
  coefficients << fit->intercept, fit->coefficients;
  std::vector<std::string> names;
  for (const std::string workers : kWorkerTerms) {
    names.push_back(workers.empty() ? "1" : workers);
    for (const int term : kSerialWorkTerms)
      names.push_back(kLawTerms[static_cast<std::size_t>(term)].name + (workers.empty() ? "" : " " + workers));
  }
  return linear_program(
      products, coefficients, [](double sum) { return sum; }, "time = " + sum_text(names, coefficients));
}

}  // namespace foretask::predict
