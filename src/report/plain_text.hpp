// SPDX-License-Identifier: Apache-2.0
// Names as other tools can show them.
#pragma once

#include <string>
#include <string_view>

namespace foretask::report {

// One line of well-formed UTF-8 without control characters, which become blanks; a byte that is no text becomes '?'.
// No blanks at either end; "(no name)" where nothing is left.
[[nodiscard]] std::string one_line(std::string_view name);

}  // namespace foretask::report
