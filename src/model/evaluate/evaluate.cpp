// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "model/evaluate/prequential.hpp"
#include "model/fit/groups.hpp"
#include "model/fit/term.hpp"

namespace foretask::analysis {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

bool negative(double number) { return number < 0; }

Error negative_error(const std::vector<double>& column, std::string_view name, std::string_view why) {
  const auto row = std::find_if(column.begin(), column.end(), negative) - column.begin();
  return {"row " + std::to_string(row) + " (from 0) has a negative " + quoted(name) + ": " + std::string(why)};
}

bool takes_ranges(EvaluationMethod method) {
  return method == EvaluationMethod::kSupportPoints || method == EvaluationMethod::kBest;
}

Result<void> check(const std::vector<double>& times, std::string_view target, const std::vector<double>& x,
                   std::string_view parameter, const std::vector<EvaluationMethod>& methods) {
  if (&times == &x) return Error{quoted(target) + " cannot be predicted from itself"};
  if (x.size() < 2) return Error{"one row is not enough: there is nothing to predict from it"};
  if (std::any_of(times.begin(), times.end(), negative)) return negative_error(times, target, "a time is 0 or more");
  const double total = std::accumulate(times.begin(), times.end(), 0.0);
  if (total == 0) return Error{"every " + quoted(target) + " is 0: no error is relative to that"};
  if (!std::isfinite(total)) return Error{"the sum of " + quoted(target) + " is more than a double holds"};
  const auto [smallest, largest] = std::minmax_element(x.begin(), x.end());
  if (*smallest == *largest) return Error{quoted(parameter) + " is the same in every row: nothing depends on it"};
  if (!std::isfinite(std::accumulate(x.begin(), x.end(), 0.0, [](double a, double b) { return a + std::abs(b); })))
    return Error{"the sum of " + quoted(parameter) + " is more than a double holds"};
  if (*smallest < 0 && std::any_of(methods.begin(), methods.end(), takes_ranges))
    return negative_error(x, parameter, "the 90 % and 110 % of support-points and best are of sizes and counts");
  return {};
}

// What a method makes of rows in their order: what it predicts of each, and which ones it had to measure for that. A
// measured row is predicted as it was measured, where the method measures it in its turn.
struct MethodRun {
  std::vector<double> predicted;
  std::vector<std::size_t> measured;
};

// Parameters and times, finite and as many of one as of the other.
struct Rows {
  std::span<const double> x;
  std::span<const double> time;
};

// One row's time for all rows, those before it included.
MethodRun run_row(const Rows& rows, std::size_t row) {
  return {std::vector<double>(rows.x.size(), rows.time[row]), {row}};
}

// Knows the times of the rows that it chose, and nothing else. No parameter is negative.
MethodRun run_support_points(const Rows& rows) {
  MethodRun run;
  model::SupportPoints points;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    if (points.wants(rows.x[i])) {
      points.learn(rows.x[i], rows.time[i]);
      run.measured.push_back(i);
      run.predicted.push_back(rows.time[i]);
    } else {
      run.predicted.push_back(*points.predict(rows.x[i]));
    }
  }
  return run;
}

// Knows every row's parameter beforehand, and the times of the representatives.
MethodRun run_clusters(const Rows& rows) {
  MethodRun run{.predicted = std::vector<double>(rows.x.size()), .measured = {}};
  for (const model::Cluster& cluster : model::split_in_two(rows.x)) {
    run.measured.push_back(cluster.representative);
    for (const std::size_t row : cluster.members) run.predicted[row] = rows.time[cluster.representative];
  }
  return run;
}

// Knows every row's time once the row has been predicted. No parameter is negative.
MethodRun run_best(const Rows& rows) {
  MethodRun run;
  model::Prequential models = model::one_parameter_models();
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    const auto predicted = models.predict(rows.x[i]);
    if (!predicted) run.measured.push_back(i);
    run.predicted.push_back(predicted.value_or(rows.time[i]));
    models.learn(rows.x[i], rows.time[i]);
  }
  return run;
}

struct Method {
  std::string_view name;
  MethodRun (*run)(const Rows& rows);
};

// In the order of EvaluationMethod.
constexpr std::array<Method, kEvaluationMethods.size()> kMethods{
    {{"first", [](const Rows& rows) { return run_row(rows, 0); }},
     {"second", [](const Rows& rows) { return run_row(rows, 1); }},
     {"support-points", run_support_points},
     {"kmeans", run_clusters},
     {"best", run_best}}};

MethodEvaluation evaluate(EvaluationMethod method, const Rows& rows) {
  MethodRun run = kMethods[static_cast<std::size_t>(method)].run(rows);
  MethodEvaluation result{.method = method, .chosen_ids = std::move(run.measured)};
  double errors = 0;
  std::size_t rows_with_time = 0;
  for (std::size_t i = 0; i < rows.time.size(); ++i) {
    result.predicted_total += run.predicted[i];
    result.actual_total += rows.time[i];
    if (rows.time[i] == 0) continue;
    errors += std::abs(run.predicted[i] - rows.time[i]) / rows.time[i];
    ++rows_with_time;
  }
  // The paper's equation 1 with the absolute value around the whole.
  result.error_pct = 100 * std::abs(1 - result.predicted_total / result.actual_total);
  result.mape_pct = 100 * errors / static_cast<double>(rows_with_time);
  return result;
}

}  // namespace

std::string_view method_name(EvaluationMethod method) noexcept {
  return kMethods[static_cast<std::size_t>(method)].name;
}

std::optional<EvaluationMethod> method_from_name(std::string_view name) noexcept {
  for (const EvaluationMethod method : kEvaluationMethods)
    if (method_name(method) == name) return method;
  return std::nullopt;
}

Result<Evaluation> evaluate_methods(const DataTable& table, std::string_view target, std::string_view parameter,
                                    const std::vector<EvaluationMethod>& methods) {
  const std::vector<double>* const times = table.column(target);
  if (times == nullptr) return model::no_column(table, target);
  const std::vector<double>* const x = table.column(parameter);
  if (x == nullptr) return model::no_column(table, parameter);
  if (const auto usable = check(*times, target, *x, parameter, methods); !usable) return usable.error();
  Evaluation evaluation{.rows = x->size(), .methods = {}};
  for (const EvaluationMethod method : methods) evaluation.methods.push_back(evaluate(method, {*x, *times}));
  return evaluation;
}

}  // namespace foretask::analysis
