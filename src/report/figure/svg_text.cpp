// SPDX-License-Identifier: Apache-2.0
#include "report/figure/svg_text.hpp"

#include "report/plain_text.hpp"

namespace foretask::report {

std::string svg_text(std::string_view text) {
  std::string safe;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace foretask::report
