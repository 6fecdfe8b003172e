// SPDX-License-Identifier: Apache-2.0
// Text within SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace foretask::report {

// One line (plain_text.hpp) with what has a meaning in SVG or HTML written so that it has none, in quotes as well.
[[nodiscard]] std::string markup_text(std::string_view text);

}  // namespace foretask::report
