// SPDX-License-Identifier: Apache-2.0
// JSON that commands have written and read again, within the limits of base/json_text.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "foretask/result.hpp"

namespace foretask::report {

[[nodiscard]] Result<nlohmann::ordered_json> read_json(const std::string& path);
[[nodiscard]] Result<nlohmann::ordered_json> parse_json(const std::string& text);

}  // namespace foretask::report
