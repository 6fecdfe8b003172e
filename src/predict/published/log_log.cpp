// SPDX-License-Identifier: Apache-2.0
// log2(time) = a + b log2(n) + g(p), with g linear or quadratic in log2(p): Barnes, Rountree, Lowenthal, Reeves,
// de Supinski and Schulz, "A regression-based approach to scalability prediction", ICS 2008, on the whole time; eq. 6
// and 7 of Namsraijav and Taura. Least squares.
#include "predict/published/published_models.hpp"

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "predict/published/run_table.hpp"
#include "predict/published/terms.hpp"
#include "statistics/least_squares.hpp"

namespace foretask::predict {

namespace {

using analysis::ProgramRun;
using Eigen::Index;

Eigen::RowVectorXd logarithms(double n, double p, bool quadratic) {
  Eigen::RowVectorXd row(quadratic ? 4 : 3);
  row.head(3) << 1, std::log2(n), std::log2(p);
  if (quadratic) row[3] = row[2] * row[2];
  return row;
}

class LogLog final : public FittedProgram {
 public:
  LogLog(Eigen::VectorXd coefficients, bool quadratic)
      : coefficients_(std::move(coefficients)), quadratic_(quadratic) {}

  [[nodiscard]] ProgramParts at(double n, double p) const override {
    return with_time({}, std::exp2(logarithms(n, p, quadratic_).dot(coefficients_)));
  }

  [[nodiscard]] std::string formula() const override {
    std::vector<std::string> names{"1", "log2(n)", "log2(p)"};
    if (quadratic_) names.emplace_back("log2(p)^2");
    return "log2(time) = " + sum_text(names, coefficients_);
  }

 private:
  Eigen::VectorXd coefficients_;
  bool quadratic_;
};

}  // namespace

Result<std::unique_ptr<FittedProgram>> fit_log_log(std::span<const ProgramRun> runs, bool quadratic) {
  const RunTable table = run_table(runs);
  const Needs needs{.sizes = 2, .workers = quadratic ? 3U : 2U, .rows = quadratic ? 5U : 4U};
  if (const std::optional<Error> error = lacking(table, needs)) return *error;
  Eigen::MatrixXd columns(static_cast<Index>(table.rows.size()), quadratic ? 4 : 3);
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    columns.row(static_cast<Index>(i)) = logarithms(table.rows[i]->n, table.rows[i]->p, quadratic);
  const auto fit =
      statistics::least_squares(columns, table.column(&ProgramRun::time).array().log() / std::numbers::ln2, {}, true);
  if (!fit) return fit.error();
  if (!fit->dropped.empty()) return Error{"n and p always change together"};
  return std::unique_ptr<FittedProgram>(std::make_unique<LogLog>(fit->coefficients, quadratic));
}

}  // namespace foretask::predict
