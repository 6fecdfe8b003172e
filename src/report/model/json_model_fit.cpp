// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "report/json_output.hpp"
#include "report/model/model_fit.hpp"

namespace foretask::report {
namespace {

Json test_json(const std::optional<analysis::TestResult>& test) {
  if (!test) return nullptr;
  return {{"statistic", test->statistic}, {"df", test->freedom}, {"p", test->p}};
}

Json row_json(const analysis::ExtremeRow& extreme) { return {{"value", extreme.value}, {"row", extreme.row}}; }

Json diagnostics_json(const analysis::FitDiagnostics& diagnostics) {
  Json bins = Json::array();
  for (const analysis::FitBin& bin : diagnostics.residuals_by_fit)
    bins.push_back({{"rows", bin.rows}, {"fitted", bin.fitted}, {"residual", bin.residual}, {"spread", bin.spread}});
  Json json = {{"normality", test_json(diagnostics.normality)},
               {"breusch_pagan", test_json(diagnostics.breusch_pagan)},
               {"max_leverage", row_json(diagnostics.max_leverage)},
               {"max_studentized", row_json(diagnostics.max_studentized)},
               {"serial_correlation", diagnostics.serial_correlation},
               {"median_error_pct", diagnostics.median_error_pct},
               {"hold_out", nullptr},
               {"residuals_by_fit", std::move(bins)},
               {"outliers", diagnostics.outliers}};
  if (const auto& held = diagnostics.hold_out) {
    json["hold_out"] = {{"rows", held->rows},
                        {"total_error_pct", held->total_error_pct},
                        {"median_error_pct", held->median_error_pct},
                        {"spread_ratio", held->spread_ratio}};
  }
  return json;
}

}  // namespace

std::string model_fit_json(const analysis::ModelFit& fit) {
  Json terms = Json::array();
  for (const analysis::FittedTerm& term : fit.terms) {
    terms.push_back({{"name", term.name},
                     {"coef", term.coefficient},
                     {"std_error", term.std_error},
                     {"t", term.t},
                     {"p", term.p},
                     {"ci95", {term.low, term.high}}});
  }
  Json left_out = Json::array();
  for (const analysis::LeftOutTerm& term : fit.left_out)
    left_out.push_back({{"name", term.name}, {"reason", term.reason}});
  const Json json = {{"n", fit.n},
                     {"r2", fit.r2},
                     {"adj_r2", fit.adj_r2},
                     {"terms", std::move(terms)},
                     {"warnings", fit.warnings},
                     {"target", fit.target},
                     {"params", fit.parameters},
                     {"searched", fit.searched},
                     {"candidates", fit.candidates},
                     {"rows", fit.rows},
                     {"df", fit.freedom},
                     {"sigma", fit.sigma},
                     {"bic", fit.bic},
                     {"weights", fit.weights == analysis::Noise::kProportional ? "proportional" : "none"},
                     {"left_out", std::move(left_out)},
                     {"diagnostics", diagnostics_json(fit.diagnostics)}};
  return json_text(json);
}

}  // namespace foretask::report
