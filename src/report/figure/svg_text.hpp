// SPDX-License-Identifier: Apache-2.0
// Text for figures.
#pragma once

#include <string>
#include <string_view>

namespace foretask::report {

// One line (plain_text.hpp) with what has a meaning in SVG written so that it has none.
[[nodiscard]] std::string svg_text(std::string_view text);

}  // namespace foretask::report
