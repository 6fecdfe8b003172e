// SPDX-License-Identifier: Apache-2.0
// What every page has around its views: the head with the style and what it may load, the heading with links to the
// views, and the script.
#pragma once

#include <string_view>

#include "report/output.hpp"
#include "report/text.hpp"

namespace foretask::report {

void write_framed(std::string_view title, const Text& views, Output& output);

}  // namespace foretask::report
