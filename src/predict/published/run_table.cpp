// SPDX-License-Identifier: Apache-2.0
#include "predict/published/run_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "predict/growth/size_levels.hpp"

namespace foretask::predict {
namespace {

using analysis::ProgramRun;

void list_axes(RunTable& table) {
  for (const ProgramRun* run : table.rows) {
    table.sizes.push_back(run->n);
    table.workers.push_back(run->p);
  }
  table.sizes = distinct(std::move(table.sizes));
  table.workers = distinct(std::move(table.workers));
}

class LinearProgram final : public FittedProgram {
 public:
  LinearProgram(Row row, Eigen::VectorXd coefficients, double (*time_of)(double), std::string formula)
      : row_(std::move(row)), coefficients_(std::move(coefficients)), time_of_(time_of), formula_(std::move(formula)) {}

  [[nodiscard]] ProgramParts at(double n, double p) const override {
    return with_time({}, time_of_(row_(n, p).dot(coefficients_)));
  }
  [[nodiscard]] std::string formula() const override { return formula_; }

 private:
  Row row_;
  Eigen::VectorXd coefficients_;
  double (*time_of_)(double);
  std::string formula_;
};

std::string count(std::size_t number, const char* one, const char* several) {
  return std::to_string(number) + " " + (number == 1 ? one : several);
}

}  // namespace

Eigen::VectorXd RunTable::column(Member member) const {
  Eigen::VectorXd values(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) values[static_cast<Eigen::Index>(i)] = rows[i]->*member;
  return values;
}

Eigen::MatrixXd RunTable::columns(const Row& row) const {
  Eigen::MatrixXd values(static_cast<Eigen::Index>(rows.size()), row(1, 1).size());
  for (std::size_t i = 0; i < rows.size(); ++i) values.row(static_cast<Eigen::Index>(i)) = row(rows[i]->n, rows[i]->p);
  return values;
}

Eigen::VectorXd RunTable::mean_by_size(Member member) const {
  Eigen::VectorXd means(static_cast<Eigen::Index>(sizes.size()));
  std::size_t row = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    double sum = 0;
    std::size_t summed = 0;
    for (; row < rows.size() && rows[row]->n == sizes[i]; ++row, ++summed) sum += rows[row]->*member;
    means[static_cast<Eigen::Index>(i)] = sum / static_cast<double>(summed);
  }
  return means;
}

RunTable RunTable::with_sizes(double least, double most) const {
  RunTable part;
  for (const ProgramRun* run : rows)
    if (run->n >= least && run->n <= most) part.rows.push_back(run);
  list_axes(part);
  return part;
}

RunTable run_table(std::span<const ProgramRun> runs) {
  RunTable table;
  for (const ProgramRun& run : runs) table.rows.push_back(&run);
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const ProgramRun* a, const ProgramRun* b) { return a->n != b->n ? a->n < b->n : a->p < b->p; });
  list_axes(table);
  return table;
}

std::unique_ptr<FittedProgram> linear_program(Row row, Eigen::VectorXd coefficients, double (*time_of)(double),
                                              std::string formula) {
  return std::make_unique<LinearProgram>(std::move(row), std::move(coefficients), time_of, std::move(formula));
}

std::optional<Error> lacking(const RunTable& table, const Needs& needs) {
  for (const ProgramRun* run : table.rows) {
    if (!std::isfinite(run->n) || run->n <= 0) return Error{"n is not above 0 in " + run->source};
    if (!std::isfinite(run->p) || run->p < 1) return Error{"p is below 1 in " + run->source};
    if (!std::isfinite(run->time) || run->time <= 0) return Error{"time is not above 0 in " + run->source};
  }
  if (table.sizes.size() < needs.sizes)
    return Error{"needs runs with " + count(needs.sizes, "n", "different n") +
                 ", here: " + std::to_string(table.sizes.size())};
  if (table.workers.size() < needs.workers)
    return Error{"needs runs with " + count(needs.workers, "p", "different p") +
                 ", here: " + std::to_string(table.workers.size())};
  if (table.rows.size() < needs.rows)
    return Error{"needs " + count(needs.rows, "run", "runs") + ", here: " + std::to_string(table.rows.size())};
  return {};
}

std::string sum_text(std::span<const std::string> terms, const Eigen::VectorXd& coefficients) {
  std::string text;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double value = coefficients[static_cast<Eigen::Index>(i)];
    if (value == 0) continue;
    if (text.empty())
      text = value < 0 ? "-" : "";
    else
      text += value < 0 ? " - " : " + ";
    text += base::number_text(std::abs(value));
    if (terms[i] != "1") text += " * " + terms[i];
  }
  return text.empty() ? "0" : text;
}

}  // namespace foretask::predict
