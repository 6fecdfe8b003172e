// SPDX-License-Identifier: Apache-2.0
#include "report/plain_text.hpp"

#include "graph/file/graph_file_utf8.hpp"

namespace foretask::report {

std::string one_line(std::string_view name) {
  std::string clean;
  const char* const end = name.data() + name.size();
  for (const char* at = name.data(); at != end;) {
    const auto byte = static_cast<unsigned char>(*at);
    const std::size_t length = byte < 0x80 ? 1 : graph::utf8_length(at, end);
    if (length == 0) {
      clean += '?';
    } else if (byte < 0x20 || byte == 0x7f) {
      clean += ' ';
    } else {
      clean.append(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  const std::size_t begin = clean.find_first_not_of(' ');
  if (begin == std::string::npos) return "(no name)";
  return clean.substr(begin, clean.find_last_not_of(' ') + 1 - begin);
}

}  // namespace foretask::report
