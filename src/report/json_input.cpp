// SPDX-License-Identifier: Apache-2.0
#include "report/json_input.hpp"

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"

namespace foretask::report {

Result<nlohmann::ordered_json> read_json(const std::string& path) {
  return base::read_json<nlohmann::ordered_json>(path);
}

Result<nlohmann::ordered_json> parse_json(const std::string& text) {
  return base::parse_json<nlohmann::ordered_json>(text);
}

}  // namespace foretask::report
