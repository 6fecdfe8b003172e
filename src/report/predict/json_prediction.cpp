// SPDX-License-Identifier: Apache-2.0

#include "report/json_output.hpp"
#include "report/predict/prediction.hpp"

namespace foretask::report {
namespace {

Json speculation_json(const analysis::Speculation& section) {
  Json rows = Json::array();
  for (const analysis::SpeculationPoint& row : section.rows) {
    rows.push_back({{"workers", row.workers},
                    {"mean", row.mean},
                    {"sd", row.sd},
                    {"p90", row.p90},
                    {"low", row.low},
                    {"high", row.high},
                    {"gain", row.gain},
                    {"beyond_sample", row.beyond_sample},
                    {"at_least", row.at_least}});
  }
  return {{"section", section.section}, {"rows", std::move(rows)},    {"searches", section.searches},
          {"found", section.found},     {"at_once", section.at_once}, {"winner_ns", section.winner_ns},
          {"notes", section.notes}};
}

}  // namespace

std::string prediction_json(const Prediction& prediction) {
  Json json = {{"chosen", prediction.chosen}};
  Json models = Json::array();
  for (const analysis::ProgramModelScore& model : prediction.models) {
    models.push_back(
        {{"name", model.name}, {"holdout_error", model.holdout_error}, {"weight", model.weight}, {"why", model.why}});
  }
  json["models"] = std::move(models);
  Json rows = Json::array();
  for (const analysis::ProgramPrediction& row : prediction.rows) {
    Json& one = rows.emplace_back(Json{{"n", row.n}});
    for (const auto& [name, value] : kPredictionColumns) one[name] = row.*value;
  }
  json["rows"] = std::move(rows);
  json["input"] = prediction.input;
  json["program"] = prediction.program;
  json["size"] = prediction.size_name;
  json["runs"] = prediction.runs.size();
  json["time_unit"] = prediction.is_in_ns ? Json("ns") : Json(nullptr);
  json["warnings"] = prediction.warnings;
  json["speculative"] = Json::array();
  for (const analysis::Speculation& section : prediction.speculative)
    json["speculative"].push_back(speculation_json(section));
  return json_text(json);
}

}  // namespace foretask::report
