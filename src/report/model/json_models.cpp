// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "report/json_output.hpp"
#include "report/model/models.hpp"

namespace foretask::analysis {

FORETASK_JSON_FIELDS(ParameterRange, name, smallest, largest)
FORETASK_JSON_FIELDS(CandidateModel, name, error)
FORETASK_JSON_FIELDS(StoredPrediction, value_ns, low_ns, high_ns, status, model)
FORETASK_JSON_FIELDS(RefusedFile, path, reason)
FORETASK_JSON_FIELDS(LeftOutTerm, name, reason)
FORETASK_JSON_FIELDS(ExtremeRow, value, row)
FORETASK_JSON_FIELDS(FitBin, rows, fitted, residual, spread)
FORETASK_JSON_FIELDS(HoldOut, rows, total_error_pct, median_error_pct, spread_ratio)

static void to_json(report::Json& json, const TestResult& one) {
  json = {{"statistic", one.statistic}, {"df", one.freedom}, {"p", one.p}};
}

FORETASK_JSON_FIELDS(FitDiagnostics, normality, breusch_pagan, max_leverage, max_studentized, serial_correlation,
                     median_error_pct, hold_out, residuals_by_fit, outliers)

static void to_json(report::Json& json, const StoredTerm& one) {
  json = {{"name", one.name}, {"coef", one.coefficient}};
}

static void to_json(report::Json& json, const StoredModel& one) {
  FORETASK_ADD_JSON_FIELDS(kernel, code, machine, worker_class, code_version, saved, path, samples, changes, tuples,
                           parameters, terms, models)
  json["interval"] = {one.low, one.high};
  if (one.prediction) FORETASK_ADD_JSON_FIELDS(prediction)
}

static void to_json(report::Json& json, const FittedTerm& one) {
  json = {{"name", one.name}, {"coef", one.coefficient}};
  FORETASK_ADD_JSON_FIELDS(std_error, t, p)
  json["ci95"] = {one.low, one.high};
}

static void to_json(report::Json& json, const MethodEvaluation& one) {
  json["name"] = method_name(one.method);
  FORETASK_ADD_JSON_FIELDS(predicted_total, actual_total, error_pct, mape_pct, chosen_ids)
}

}  // namespace foretask::analysis

namespace foretask::report {

std::string model_store_json(const analysis::StoreListing& one) {
  Json json;
  FORETASK_ADD_JSON_FIELDS(folder, models, refused)
  return json_text(json);
}

std::string model_fit_json(const analysis::ModelFit& one) {
  Json json;
  FORETASK_ADD_JSON_FIELDS(n, r2, adj_r2, terms, warnings, target)
  json["params"] = one.parameters;
  FORETASK_ADD_JSON_FIELDS(searched, candidates, rows)
  json["df"] = one.freedom;
  FORETASK_ADD_JSON_FIELDS(sigma, bic)
  json["weights"] = one.weights == analysis::Noise::kProportional ? "proportional" : "none";
  FORETASK_ADD_JSON_FIELDS(left_out, diagnostics)
  return json_text(json);
}

std::string evaluation_json(const analysis::Evaluation& evaluation) {
  return json_text({{"n", evaluation.rows}, {"methods", evaluation.methods}});
}

}  // namespace foretask::report
