// SPDX-License-Identifier: Apache-2.0
// What the JSON writers share.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/json_text.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/analysis/simulate.hpp"

namespace foretask::report {

// Keys in the order of the documentation. A number that is none is written as null.
using Json = nlohmann::ordered_json;
using base::json_string;
using base::parse_json;
using base::read_json;

// Two blanks a level, and a line's end. A path or a name may hold bytes that are not UTF-8: they are replaced.
[[nodiscard]] std::string json_text(const Json& json);

// Sets the keys of `json` that are called as members of `one` are, in this order.
#define FORETASK_ADD_JSON_FIELDS(...) \
  { NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(FORETASK_ADD_JSON_FIELD, __VA_ARGS__)) }
#define FORETASK_ADD_JSON_FIELD(member) json[#member] = one.member;

// How a struct whose keys are its members' names is written, alone and in lists. In the struct's own namespace.
#define FORETASK_JSON_FIELDS(Type, ...)                                               \
  [[maybe_unused]] static void to_json(nlohmann::ordered_json& json, const Type& one) \
      FORETASK_ADD_JSON_FIELDS(__VA_ARGS__)

[[nodiscard]] Json costs_json(const analysis::SchedulingCosts& costs);

}  // namespace foretask::report

namespace foretask::analysis {

FORETASK_JSON_FIELDS(TimeRange, lowest_ns, highest_ns)

}  // namespace foretask::analysis

// null where there is none.
template <typename T>
struct nlohmann::adl_serializer<std::optional<T>> {
  template <typename Json>
  static void to_json(Json& json, const std::optional<T>& value) {
    json = value ? Json(*value) : Json();
  }
};
