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
#include <utility>
#include <vector>

#include "predict/growth/growth_terms.hpp"
#include "predict/published/lasso.hpp"
#include "predict/published/run_table.hpp"
#include "predict/published/terms.hpp"

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
  return row.tail(row.size() - 1);  // the fit has its own constant
}

class OneStepLasso final : public FittedProgram {
 public:
  explicit OneStepLasso(LassoFit fit) : fit_(std::move(fit)) {}

  [[nodiscard]] ProgramParts at(double n, double p) const override {
    return with_time({}, fit_.intercept + products(n, p).dot(fit_.coefficients));
  }

  [[nodiscard]] std::string formula() const override {
    std::vector<std::string> names{"1"};
    for (const char* factor : kWorkerTerms) {
      const std::string workers = factor;
      if (!workers.empty()) names.push_back(workers);
      for (const int term : kSerialWorkTerms)
        names.push_back(kLawTerms[static_cast<std::size_t>(term)].name + (workers.empty() ? "" : " " + workers));
    }
    Eigen::VectorXd all(fit_.coefficients.size() + 1);
    all << fit_.intercept, fit_.coefficients;
    return "time = " + sum_text(names, all);
  }

 private:
  LassoFit fit_;
};

}  // namespace

Result<std::unique_ptr<FittedProgram>> fit_one_step_lasso(std::span<const ProgramRun> runs) {
  const RunTable table = run_table(runs);
  if (const std::optional<Error> error = lacking(table, {.sizes = 3, .workers = 2, .rows = 6})) return *error;
  Eigen::MatrixXd columns(static_cast<Index>(table.rows.size()), products(1, 1).size());
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    columns.row(static_cast<Index>(i)) = products(table.rows[i]->n, table.rows[i]->p);
  auto fit = cross_validated_lasso(columns, table.column(&ProgramRun::time), {.intercept = true, .non_negative = true});
  if (!fit) return fit.error();
  return std::unique_ptr<FittedProgram>(std::make_unique<OneStepLasso>(std::move(*fit)));
}

}  // namespace foretask::predict
