// SPDX-License-Identifier: Apache-2.0
// The two-step model of Namsraijav and Taura, "Performance Modeling of Task Parallel Programs", section 4.3: six
// intermediate models (eq. 10 to 15) by cross-validated lasso, columns and target scaled, and
// time = (work + delay + no_work) / p (eq. 9). The paper asks its user for an n that the work grows with as a
// polynomial; here n, 2^n and phi^n are tried, and the one that predicts the largest quarter of the n best from the
// others is kept.
//
// And what they hold their two steps against (section 1): the time at once, without its parts, by cross-validated lasso
// with non-negative coefficients over the products of eq. 11's terms of n (its constant included) and (1, 1 / p,
// (p - 1) / p, p - 1).
#include "predict/published/published_models.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "predict/growth/growth_terms.hpp"
#include "predict/published/lasso.hpp"
#include "predict/published/run_table.hpp"

namespace foretask::predict {

namespace {

using analysis::ProgramRun;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

consteval int term(std::string_view name) {
  int at = 0;
  while (kLawTerms.at(static_cast<std::size_t>(at)).name != name) ++at;
  return at;
}

// Terms of n, by their numbers in kLawTerms: eq. 11 as printed, without its constant; with n log(n) in place of log(n);
// eq. 13 and 14; eq. 15.
constexpr std::array kSerialWorkTerms{term("n"),         term("log n"), term("n^2"),
                                      term("n^2 log n"), term("n^3"),   term("n log log n")};
constexpr std::array kSerialWorkNLogNTerms{term("n"),         term("n log n"), term("n^2"),
                                           term("n^2 log n"), term("n^3"),     term("n log log n")};
constexpr std::array kTaskCountTerms{term("n"), term("n log n"), term("n^2"), term("n^3"), term("n log log n")};
constexpr std::array kNoWorkTerms{term("1"), term("n"), term("n log n"), term("n^2")};

RowVectorXd growth_row(std::span<const int> terms, double n) {
  RowVectorXd row(static_cast<Index>(terms.size()));
  for (std::size_t i = 0; i < terms.size(); ++i) row[static_cast<Index>(i)] = law_term(terms[i], n);
  return row;
}

// What stands for n in the formulas: base^n, or n itself.
struct SizeOf {
  double base;
  const char* text;

  [[nodiscard]] double operator()(double n) const { return base == 0 ? n : std::pow(base, n); }
};
constexpr std::array kSizes{SizeOf{0, "n"}, SizeOf{2, "2^n"}, SizeOf{std::numbers::phi, "phi^n"}};

// The cube of base^n must stay a number, on inputs some times larger than those of the runs too.
constexpr double kLargestLogarithm = 150;

// (1, p - 1, (p - 1) / p): how moves between workers may grow (section 4.3).
std::array<double, 3> moves(double p) { return {1, p - 1, (p - 1) / p}; }

RowVectorXd delay_row(double create_task, double wait_tasks, double p) {  // eq. 12
  const auto [once, each, share] = moves(p);
  RowVectorXd row(6);
  row << create_task * once, create_task * each, create_task * share, wait_tasks * once, wait_tasks * each,
      wait_tasks * share;
  return row;
}

RowVectorXd no_work_row(double size, double p) {  // eq. 15
  return (p - 1) * (p - 1) * growth_row(kNoWorkTerms, size);
}

struct Coefficients {
  LassoFit serial_work;  // b, eq. 11
  VectorXd work;         // a, eq. 10: of (p - 1) / p, then p - 1
  VectorXd create_task;  // d, eq. 13
  VectorXd wait_tasks;   // e, eq. 14
  VectorXd delay;        // c, eq. 12
  VectorXd no_work;      // f, eq. 15
};

class TwoStep final : public FittedProgram {
 public:
  TwoStep(SizeOf size_of, std::span<const int> serial_terms, Coefficients coefficients)
      : size_of_(size_of), serial_terms_(serial_terms), fit_(std::move(coefficients)) {}

  [[nodiscard]] ProgramParts at(double n, double p) const override {
    const double size = size_of_(n);
    const auto [once, each, share] = moves(p);
    ProgramParts parts;
    parts.serial_work = fit_.serial_work.intercept + growth_row(serial_terms_, size).dot(fit_.serial_work.coefficients);
    parts.create_task = growth_row(kTaskCountTerms, size).dot(fit_.create_task);
    parts.wait_tasks = growth_row(kTaskCountTerms, size).dot(fit_.wait_tasks);
    parts.work = parts.serial_work * (once + fit_.work[0] * share + fit_.work[1] * each);
    parts.delay = delay_row(parts.create_task, parts.wait_tasks, p).dot(fit_.delay);
    parts.no_work = no_work_row(size, p).dot(fit_.no_work);
    // The constant of eq. 11 may be negative: below some n the formula has no work left to speak of.
    if (!(parts.serial_work > 0)) return parts;
    return with_time(parts, (parts.work + parts.delay + parts.no_work) / p);
  }

  [[nodiscard]] std::string formula() const override {
    std::string text = "p * time = work + delay + no_work\nT1' = " +
                       sum(serial_terms_, fit_.serial_work.coefficients, fit_.serial_work.intercept);
    text += "\nwork = T1' * (1 + " + base::number_text(fit_.work[0]) + " * (p-1)/p + " +
            base::number_text(fit_.work[1]) + " * (p-1))";
    const std::vector<std::string> moved{"create_task", "create_task (p-1)", "create_task (p-1)/p",
                                         "wait_tasks",  "wait_tasks (p-1)",  "wait_tasks (p-1)/p"};
    text += "\ndelay = " + sum_text(moved, fit_.delay);
    text += "\ncreate_task = " + sum(kTaskCountTerms, fit_.create_task, 0);
    text += "\nwait_tasks = " + sum(kTaskCountTerms, fit_.wait_tasks, 0);
    text += "\nno_work = (p-1)^2 * (" + sum(kNoWorkTerms, fit_.no_work, 0) + ")";
    if (size_of_.base != 0) text += std::string("\nwhere n stands for ") + size_of_.text;
    return text;
  }

 private:
  static std::string sum(std::span<const int> terms, const VectorXd& coefficients, double constant) {
    std::vector<std::string> names{"1"};
    for (const int term : terms) names.emplace_back(kLawTerms[static_cast<std::size_t>(term)].name);
    VectorXd all(coefficients.size() + 1);
    all << constant, coefficients;
    return sum_text(names, all);
  }

  SizeOf size_of_;
  std::span<const int> serial_terms_;
  Coefficients fit_;
};

// Columns of n alone, one row a size.
MatrixXd growth_columns(const RunTable& table, const SizeOf& size_of, std::span<const int> terms) {
  MatrixXd columns(static_cast<Index>(table.sizes.size()), static_cast<Index>(terms.size()));
  for (std::size_t i = 0; i < table.sizes.size(); ++i)
    columns.row(static_cast<Index>(i)) = growth_row(terms, size_of(table.sizes[i]));
  return columns;
}

Result<std::unique_ptr<FittedProgram>> fit_with(const RunTable& table, const SizeOf& size_of, bool n_log_n) {
  const auto rows = static_cast<Index>(table.rows.size());
  const LassoOptions constant{true, true};
  const LassoOptions held{false, true};
  const std::span<const int> serial_terms = n_log_n ? kSerialWorkNLogNTerms : kSerialWorkTerms;

  auto serial_work = cross_validated_lasso(growth_columns(table, size_of, serial_terms),
                                           table.mean_by_size(&ProgramRun::serial_work), constant);
  if (!serial_work) return serial_work.error();
  const MatrixXd counts = growth_columns(table, size_of, kTaskCountTerms);
  auto create_task = cross_validated_lasso(counts, table.mean_by_size(&ProgramRun::create_task), held);
  if (!create_task) return create_task.error();
  auto wait_tasks = cross_validated_lasso(counts, table.mean_by_size(&ProgramRun::wait_tasks), held);
  if (!wait_tasks) return wait_tasks.error();

  MatrixXd work_columns(rows, 2);
  MatrixXd delay_columns(rows, 6);
  MatrixXd no_work_columns(rows, static_cast<Index>(kNoWorkTerms.size()));
  for (Index i = 0; i < rows; ++i) {
    const ProgramRun& run = *table.rows[static_cast<std::size_t>(i)];
    work_columns.row(i) << run.serial_work * (run.p - 1) / run.p, run.serial_work * (run.p - 1);
    delay_columns.row(i) = delay_row(run.create_task, run.wait_tasks, run.p);
    no_work_columns.row(i) = no_work_row(size_of(run.n), run.p);
  }
  const VectorXd more_work = table.column(&ProgramRun::work) - table.column(&ProgramRun::serial_work);
  auto work = cross_validated_lasso(work_columns, more_work, held);
  if (!work) return work.error();
  auto delay = cross_validated_lasso(delay_columns, table.column(&ProgramRun::delay), held);
  if (!delay) return delay.error();
  auto no_work = cross_validated_lasso(no_work_columns, table.column(&ProgramRun::no_work), held);
  if (!no_work) return no_work.error();
  return std::unique_ptr<FittedProgram>(
      std::make_unique<TwoStep>(size_of, serial_terms,
                                Coefficients{*serial_work, work->coefficients, create_task->coefficients,
                                             wait_tasks->coefficients, delay->coefficients, no_work->coefficients}));
}

// The median relative error of the time of the largest n, of a model of the other n.
double error_on_largest(const RunTable& table, const SizeOf& size_of, bool n_log_n) {
  const std::size_t held_out = std::max<std::size_t>(1, table.sizes.size() / 4);
  const double least = table.sizes[table.sizes.size() - held_out];
  const RunTable smaller = table.with_sizes(0, table.sizes[table.sizes.size() - held_out - 1]);
  const auto model = fit_with(smaller, size_of, n_log_n);
  if (!model) return std::numeric_limits<double>::infinity();
  std::vector<double> errors;
  for (const ProgramRun* run : table.with_sizes(least, table.sizes.back()).rows) {
    const double error = std::abs((*model)->at(run->n, run->p).time / run->time - 1);
    errors.push_back(std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
  }
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return *middle;
}

constexpr std::array<const char*, 4> kWorkerTerms{"", "1/p", "(p-1)/p", "(p-1)"};

RowVectorXd products(double n, double p) {
  RowVectorXd sizes(static_cast<Index>(kSerialWorkTerms.size()) + 1);
  sizes << 1, growth_row(kSerialWorkTerms, n);
  RowVectorXd row(sizes.size() * static_cast<Index>(kWorkerTerms.size()));
  row << sizes, sizes / p, sizes * ((p - 1) / p), sizes * (p - 1);
  return row;
}

}  // namespace

Result<std::unique_ptr<FittedProgram>> fit_two_step(std::span<const ProgramRun> runs, bool n_log_n) {
  const RunTable table = run_table(runs);
  if (const std::optional<Error> error = lacking(table, {.sizes = 3, .workers = 2, .rows = 6})) return *error;
  if (table.column(&ProgramRun::serial_work).minCoeff() <= 0) return Error{"a run lacks its serial work (T1')"};
  SizeOf best = kSizes.front();
  if (table.sizes.size() > 3) {
    double least = error_on_largest(table, best, n_log_n);
    for (const SizeOf& size_of : std::span(kSizes).subspan(1)) {
      if (table.sizes.back() * std::log(size_of.base) > kLargestLogarithm) continue;
      const double error = error_on_largest(table, size_of, n_log_n);
      if (error >= least) continue;
      least = error;
      best = size_of;
    }
  }
  return fit_with(table, best, n_log_n);
}

Result<std::unique_ptr<FittedProgram>> fit_one_step_lasso(std::span<const ProgramRun> runs) {
  const RunTable table = run_table(runs);
  if (const std::optional<Error> error = lacking(table, {.sizes = 3, .workers = 2, .rows = 6})) return *error;
  const MatrixXd columns = table.columns(products);
  // The fit has its own constant.
  const auto fit = cross_validated_lasso(columns.rightCols(columns.cols() - 1), table.column(&ProgramRun::time),
                                         {.intercept = true, .non_negative = true});
  if (!fit) return fit.error();
  VectorXd coefficients(columns.cols());
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
