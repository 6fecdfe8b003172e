// SPDX-License-Identifier: Apache-2.0
#include "report/plain_text.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace foretask::report {
namespace {

constexpr std::size_t kColumns = 110;

}  // namespace

std::string one_line(std::string_view name) {
  std::string clean;
  const char* const end = name.data() + name.size();
  for (const char* at = name.data(); at != end;) {
    const auto byte = static_cast<unsigned char>(*at);
    const std::size_t length = byte < 0x80 ? 1 : base::utf8_length(at, end);
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

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string wrapped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, size);
    const std::size_t indent = std::min(line.find_first_not_of(' '), size);
    if (line.find("  ", indent) == std::string_view::npos && width_of(line) > kColumns) {
      // What follows stands below the words: behind an item's mark.
      const std::size_t begin = line.substr(indent).starts_with("- ") ? indent + 2 : indent;
      result += line.substr(0, begin);
      std::size_t column = begin;
      for (std::string_view rest = line.substr(begin); !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        if (column != begin && column + 1 + width_of(word) > kColumns) {
          result.append("\n").append(begin, ' ');
          column = begin;
        } else if (column != begin) {
          result += ' ';
          ++column;
        }
        result += word;
        column += width_of(word);
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      }
    } else {
      result += line;
    }
    if (size < text.size()) result += '\n';
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return result;
}

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
