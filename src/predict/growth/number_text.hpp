// SPDX-License-Identifier: Apache-2.0
// A number as text, for formulas.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace foretask::predict {

// With so many significant digits, as printf's %g.
[[nodiscard]] inline std::string number_text(double value, int digits = 4) {
  std::array<char, 48> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace foretask::predict
