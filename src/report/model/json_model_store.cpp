// SPDX-License-Identifier: Apache-2.0

#include "report/json_output.hpp"
#include "report/model/model_store.hpp"

namespace foretask::report {
namespace {

Json model_of(const analysis::StoredModel& stored) {
  Json json = {{"kernel", stored.kernel},
               {"code", stored.code},
               {"machine", stored.machine},
               {"worker_class", stored.worker_class},
               {"code_version", stored.code_version},
               {"saved", stored.saved},
               {"path", stored.path},
               {"samples", stored.samples},
               {"changes", stored.changes},
               {"tuples", stored.tuples}};
  Json parameters = Json::array();
  for (const analysis::ParameterRange& range : stored.parameters)
    parameters.push_back({{"name", range.name}, {"smallest", range.smallest}, {"largest", range.largest}});
  json["parameters"] = std::move(parameters);
  Json terms = Json::array();
  for (const analysis::StoredTerm& term : stored.terms)
    terms.push_back({{"name", term.name}, {"coef", term.coefficient}});
  json["terms"] = std::move(terms);
  Json models = Json::array();
  for (const analysis::CandidateModel& candidate : stored.models)
    models.push_back({{"name", candidate.name}, {"error", candidate.error}});
  json["models"] = std::move(models);
  json["interval"] = {stored.low, stored.high};
  if (stored.prediction)
    json["prediction"] = {{"value_ns", stored.prediction->value_ns},
                          {"low_ns", stored.prediction->low_ns},
                          {"high_ns", stored.prediction->high_ns},
                          {"status", stored.prediction->status},
                          {"model", stored.prediction->model}};
  return json;
}

}  // namespace

std::string model_store_json(const analysis::StoreListing& listing) {
  Json models = Json::array();
  for (const analysis::StoredModel& stored : listing.models) models.push_back(model_of(stored));
  Json refused = Json::array();
  for (const analysis::RefusedFile& file : listing.refused)
    refused.push_back({{"path", file.path}, {"reason", file.reason}});
  const Json json = {{"folder", listing.folder}, {"models", std::move(models)}, {"refused", std::move(refused)}};
  return json_text(json);
}

}  // namespace foretask::report
