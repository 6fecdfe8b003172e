// SPDX-License-Identifier: Apache-2.0
// log2(time) = a + b log2(n) + g(p), with g linear or quadratic in log2(p): Barnes, Rountree, Lowenthal, Reeves,
// de Supinski and Schulz, "A regression-based approach to scalability prediction", ICS 2008, on the whole time; eq. 6
// and 7 of Namsraijav and Taura. Least squares.
#include "predict/published/published_models.hpp"

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "predict/published/run_table.hpp"
#include "statistics/least_squares.hpp"

namespace foretask::predict {

using analysis::ProgramRun;

Result<std::unique_ptr<FittedProgram>> fit_log_log(std::span<const ProgramRun> runs, bool quadratic) {
  const RunTable table = run_table(runs);
  const Needs needs{.sizes = 2, .workers = quadratic ? 3U : 2U, .rows = quadratic ? 5U : 4U};
  if (const std::optional<Error> error = lacking(table, needs)) return *error;
  const Row row = [quadratic](double n, double p) {
    Eigen::RowVectorXd values(quadratic ? 4 : 3);
    values.head(3) << 1, std::log2(n), std::log2(p);
    if (quadratic) values[3] = values[2] * values[2];
    return values;
  };
  const auto fit = statistics::least_squares(
      table.columns(row), table.column(&ProgramRun::time).array().log() / std::numbers::ln2, {}, true);
  if (!fit) return fit.error();
  if (!fit->dropped.empty()) return Error{"n and p always change together"};
  std::vector<std::string> names{"1", "log2(n)", "log2(p)"};
  if (quadratic) names.emplace_back("log2(p)^2");
  return linear_program(
      row, fit->coefficients, [](double sum) { return std::exp2(sum); },
      "log2(time) = " + sum_text(names, fit->coefficients));
}

}  // namespace foretask::predict
