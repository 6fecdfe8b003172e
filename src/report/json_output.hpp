// SPDX-License-Identifier: Apache-2.0
// What the JSON writers share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/json_text.hpp"
#include "foretask/analysis/simulate.hpp"

namespace foretask::report {

// Keys in the order of the documentation. A number that is none is written as null.
using Json = nlohmann::ordered_json;
using base::json_string;

// Two blanks a level, and a line's end. A path or a name may hold bytes that are not UTF-8: they are replaced.
[[nodiscard]] std::string json_text(const Json& json);

[[nodiscard]] Json costs_json(const analysis::SchedulingCosts& costs);

}  // namespace foretask::report
