// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/model/evaluation.hpp"
#include "report/text.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::EvaluationMethod;
using analysis::MethodEvaluation;

std::string format_pct(double pct) { return format_share(pct / 100); }

// What a method was allowed to see, without which its error says little.
std::string_view knows(EvaluationMethod method) {
  switch (method) {
    case EvaluationMethod::kFirst:
    case EvaluationMethod::kSecond:
      return "the time of one row";
    case EvaluationMethod::kSupportPoints:
      return "the times of the measured rows";
    case EvaluationMethod::kClusters:
      return "all parameters beforehand, the times of the measured rows";
    case EvaluationMethod::kBest:
      break;
  }
  return "each row's time, after predicting it";
}

}  // namespace

std::string evaluation_text(const EvaluatedFile& file, const analysis::Evaluation& evaluation) {
  std::vector<MethodEvaluation> methods = evaluation.methods;
  std::stable_sort(methods.begin(), methods.end(), [](auto& a, auto& b) { return a.error_pct < b.error_pct; });
  Text text;
  add(text, "{}: {}, {} by {}, {:.6g} in all\n\n", file.path, format_count(evaluation.rows, "row", "rows"), file.target,
      file.parameter, methods.front().actual_total);
  add(text, "{:<14}  {:>12}  {:>11}  {:>9}  {:>9}  {}\n", "method", "predicted", "total error", "row error", "measured",
      "knows");
  for (const MethodEvaluation& method : methods) {
    add(text, "{:<14}  {:>12.6g}  {:>11}  {:>9}  {:>9}  {}\n", analysis::method_name(method.method),
        method.predicted_total, format_pct(method.error_pct), format_pct(method.mape_pct),
        format_count(method.chosen_ids.size()), knows(method.method));
  }
  const MethodEvaluation& closest = methods.front();
  add(text, "\n{} comes closest: its error is {} of the total, and {} of a row on average.\n",
      analysis::method_name(closest.method), format_pct(closest.error_pct), format_pct(closest.mape_pct));
  return fmt::to_string(text);
}

}  // namespace foretask::report
