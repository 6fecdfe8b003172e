// SPDX-License-Identifier: Apache-2.0
// Data for the page's script: JSON, compressed, as text that can hold no markup.
#pragma once

#include <string>
#include <string_view>

#include "report/json_output.hpp"
#include "report/text.hpp"

namespace foretask::report {

// Nothing where the page has no script.
void add_data_block(Text& text, std::string_view id, std::string json);
void add_data_block(Text& text, std::string_view id, const Json& json);

}  // namespace foretask::report
