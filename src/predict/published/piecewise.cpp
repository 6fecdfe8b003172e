// SPDX-License-Identifier: Apache-2.0
// Piecewise polynomials: the logarithm of the time as restricted cubic splines of log(n) and of log(p), and their
// product, by least squares; Lee, Brooks, de Supinski, Schulz, Singh and McKee, "Methods of inference and learning for
// performance modeling of parallel applications", PPoPP 2007. Knots at Harrell's quantiles (Regression Modeling
// Strategies, section 2.4.6) of the different n and p: 5 from ten values, 4 from seven, 3 from four, else a straight
// line. Cubic between knots, straight beyond the first and the last: it describes the runs and does not extrapolate by
// design.
#include "predict/published/published_models.hpp"

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/number_text.hpp"
#include "predict/published/run_table.hpp"
#include "statistics/least_squares.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {

namespace {

using analysis::ProgramRun;
using Eigen::Index;

// Straight beyond the first and last knot, cubic between two, with continuous second derivative.
class RestrictedCubicSpline {
 public:
  // `values`: different ones, rising; their logarithms are what the spline is over.
  explicit RestrictedCubicSpline(const std::vector<double>& values) {
    std::vector<double> logs;
    for (const double value : values) logs.push_back(std::log(value));
    for (const double share : quantiles(values.size())) knots_.push_back(statistics::sorted_quantile(logs, share));
  }

  [[nodiscard]] Index columns() const { return knots_.empty() ? 1 : static_cast<Index>(knots_.size()) - 1; }

  // Harrell's basis: x, then a cubic piece for each knot but the last two.
  [[nodiscard]] Eigen::RowVectorXd row(double x) const {
    Eigen::RowVectorXd terms(columns());
    terms[0] = x;
    if (knots_.empty()) return terms;
    const double last = knots_.back();
    const double before = knots_[knots_.size() - 2];
    const double scale = (last - knots_.front()) * (last - knots_.front());
    for (Index j = 1; j < terms.size(); ++j) {
      const double knot = knots_[static_cast<std::size_t>(j) - 1];
      terms[j] = (cube(x - knot) - cube(x - before) * (last - knot) / (last - before) +
                  cube(x - last) * (before - knot) / (last - before)) /
                 scale;
    }
    return terms;
  }

  [[nodiscard]] std::string text(const char* name) const {
    if (knots_.empty()) return std::string("straight in log(") + name + ")";
    std::string all = std::string("cubic in log(") + name + ") between " + name + " =";
    for (const double knot : knots_) all += " " + base::number_text(std::exp(knot));
    return all;
  }

 private:
  static std::vector<double> quantiles(std::size_t values) {
    if (values >= 10) return {0.05, 0.275, 0.5, 0.725, 0.95};
    if (values >= 7) return {0.05, 0.35, 0.65, 0.95};
    if (values >= 4) return {0.1, 0.5, 0.9};
    return {};
  }

  static double cube(double x) { return x > 0 ? x * x * x : 0; }

  std::vector<double> knots_;
};

}  // namespace

Result<std::unique_ptr<FittedProgram>> fit_piecewise(std::span<const ProgramRun> runs) {
  const RunTable table = run_table(runs);
  if (const std::optional<Error> error = lacking(table, {.sizes = 2, .workers = 2, .rows = 5})) return *error;
  const RestrictedCubicSpline sizes(table.sizes), workers(table.workers);
  const Row row = [sizes, workers](double n, double p) {
    Eigen::RowVectorXd terms(2 + sizes.columns() + workers.columns());
    terms << 1, sizes.row(std::log(n)), workers.row(std::log(p)), std::log(n) * std::log(p);
    return terms;
  };
  const Eigen::MatrixXd columns = table.columns(row);
  const auto fit = statistics::least_squares(columns, table.column(&ProgramRun::time).array().log(), {}, true);
  if (!fit) return fit.error();
  Eigen::VectorXd coefficients = Eigen::VectorXd::Zero(columns.cols());
  for (std::size_t i = 0; i < fit->kept.size(); ++i)
    coefficients[fit->kept[i]] = fit->coefficients[static_cast<Index>(i)];
  return linear_program(
      row, coefficients, [](double sum) { return std::exp(sum); },
      "log(time): " + sizes.text("n") + "; " + workers.text("p") + "; " +
          base::number_text(coefficients[coefficients.size() - 1]) + " * log(n) log(p); straight beyond");
}

}  // namespace foretask::predict
