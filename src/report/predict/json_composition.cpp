// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "report/predict/composition.hpp"

namespace foretask::report {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order of the documentation

// The writer of JSON makes null of what is no number, but is not asked to.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

template <std::size_t n>
Json list(const std::array<double, n>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(number(value));
  return json;
}

std::string quantile_name(std::size_t i) { return fmt::format("p{:02.0f}", 100 * analysis::kComposeQuantiles[i]); }

Json quantiles(const std::array<double, 9>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) json[quantile_name(i)] = number(values[i]);
  return json;
}

}  // namespace

std::string composition_json(const ComposedExpression& composed) {
  const analysis::Composition& result = composed.result;
  Json json = {{"mean", number(result.mean)},
               {"sd", number(result.sd)},
               {"moments", list(result.moments)},
               {"quantiles", quantiles(result.quantiles)},
               {"method", result.method},
               {"status", result.status()},
               {"expression", composed.expression},
               {"skewness", number(result.skewness)},
               {"kurtosis", number(result.kurtosis)}};
  json["errors"] = nullptr;
  if (result.errors)
    json["errors"] = {{"mean", number(result.errors->mean)},
                      {"sd", number(result.errors->sd)},
                      {"moments", list(result.errors->moments)},
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
                        {"mean", number(other.mean)},
                        {"p90", number(other.p90)},
                        {"mean_error", number(other.mean_error)},
                        {"p90_error", number(other.p90_error)},
                        {"beyond_sample", other.beyond_sample},
                        {"p90_beyond", other.p90_beyond}});
    json["copies"] = {
        {"ends", composed.first_ends ? "first" : "last"}, {"n", composed.copies}, {"others", std::move(others)}};
  }
  // A path may hold bytes that are not UTF-8: replaced, never thrown about.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace foretask::report
