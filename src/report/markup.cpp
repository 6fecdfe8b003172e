// SPDX-License-Identifier: Apache-2.0
#include "report/markup.hpp"

#include "report/plain_text.hpp"

namespace foretask::report {

std::string markup_text(std::string_view text) {
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
