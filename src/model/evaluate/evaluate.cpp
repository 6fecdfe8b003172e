// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "model/evaluate/method_run.hpp"

namespace foretask::analysis {
namespace {

constexpr std::array<std::string_view, kEvaluationMethods.size()> kNames{"first", "second", "support-points", "kmeans",
                                                                         "best"};

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

Result<const std::vector<double>*> find_column(const DataTable& table, std::string_view name) {
  if (const std::vector<double>* const column = table.column(name)) return column;
  std::string names;
  for (const std::string& known : table.names) names += (names.empty() ? "" : ", ") + known;
  return Error{"there is no column " + quoted(name) + "; there are " + names};
}

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

model::MethodRun run_method(EvaluationMethod method, const model::Rows& rows) {
  switch (method) {
    case EvaluationMethod::kFirst:
      return model::run_row(rows, 0);
    case EvaluationMethod::kSecond:
      return model::run_row(rows, 1);
    case EvaluationMethod::kSupportPoints:
      return model::run_support_points(rows);
    case EvaluationMethod::kClusters:
      return model::run_clusters(rows);
    case EvaluationMethod::kBest:
      break;
  }
  return model::run_best(rows);
}

MethodEvaluation evaluate(EvaluationMethod method, const model::Rows& rows) {
  model::MethodRun run = run_method(method, rows);
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

std::string_view method_name(EvaluationMethod method) noexcept { return kNames[static_cast<std::size_t>(method)]; }

std::optional<EvaluationMethod> method_from_name(std::string_view name) noexcept {
  for (const EvaluationMethod method : kEvaluationMethods)
    if (method_name(method) == name) return method;
  return std::nullopt;
}

Result<Evaluation> evaluate_methods(const DataTable& table, std::string_view target, std::string_view parameter,
                                    const std::vector<EvaluationMethod>& methods) {
  const auto times = find_column(table, target);
  if (!times) return times.error();
  const auto x = find_column(table, parameter);
  if (!x) return x.error();
  if (const auto usable = check(**times, target, **x, parameter, methods); !usable) return usable.error();
  Evaluation evaluation{.rows = (*x)->size(), .methods = {}};
  for (const EvaluationMethod method : methods) evaluation.methods.push_back(evaluate(method, {**x, **times}));
  return evaluation;
}

}  // namespace foretask::analysis
