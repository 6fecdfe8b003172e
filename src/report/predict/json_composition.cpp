// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "report/json_output.hpp"
#include "report/predict/composition.hpp"

namespace foretask::report {
namespace {

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::string quantile_name(std::size_t i) { return fmt::format("p{:02.0f}", 100 * analysis::kComposeQuantiles[i]); }

Json quantiles(const std::array<double, 9>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) json[quantile_name(i)] = values[i];
  return json;
}

}  // namespace

std::string composition_json(const ComposedExpression& composed) {
  const analysis::Composition& result = composed.result;
  Json json = {{"mean", result.mean},
               {"sd", result.sd},
               {"moments", result.moments},
               {"quantiles", quantiles(result.quantiles)},
               {"method", result.method},
               {"status", result.status()},
               {"expression", composed.expression},
               {"skewness", result.skewness},
               {"kurtosis", result.kurtosis}};
  json["errors"] = nullptr;
  if (result.errors)
    json["errors"] = {{"mean", result.errors->mean},
                      {"sd", result.errors->sd},
                      {"moments", result.errors->moments},
                      {"quantiles", quantiles(result.errors->quantiles)}};
  if (std::find(result.beyond.begin(), result.beyond.end(), true) != result.beyond.end()) {
    Json beyond = Json::array();
    for (std::size_t i = 0; i < result.beyond.size(); ++i)
      if (result.beyond[i]) beyond.push_back(quantile_name(i));
    json["beyond"] = std::move(beyond);
  }
  json["notes"] = result.notes;
  json["copies"] = nullptr;
  if (composed.copies != 0) {
    Json others = Json::array();
    for (const OtherCopies& other : composed.others)
      others.push_back({{"n", other.n},
                        {"mean", other.mean},
                        {"p90", other.p90},
                        {"mean_error", number(other.mean_error)},
                        {"p90_error", number(other.p90_error)},
                        {"beyond_sample", other.beyond_sample},
                        {"p90_beyond", other.p90_beyond}});
    json["copies"] = {
        {"ends", composed.first_ends ? "first" : "last"}, {"n", composed.copies}, {"others", std::move(others)}};
  }
  return json_text(json);
}

}  // namespace foretask::report
