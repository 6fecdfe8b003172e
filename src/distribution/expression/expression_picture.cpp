// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/expression_picture.hpp"

#include <algorithm>

namespace foretask::distribution {
namespace {

// Bytes shown on either side of the place: a line of an 80-column terminal.
constexpr std::size_t kBefore = 36;
constexpr std::size_t kBehind = 40;
constexpr std::string_view kCut = "...";

bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

std::size_t column_at(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte);
  return 1 + before.size() - static_cast<std::size_t>(std::count_if(before.begin(), before.end(), goes_on));
}

Error error_at(std::string_view text, std::size_t byte, const std::string& what) {
  byte = std::min(byte, text.size());
  std::size_t first = byte > kBefore + kCut.size() ? byte - kBefore : 0;
  while (first > 0 && goes_on(text[first])) --first;
  std::size_t end = text.size() - byte > kBehind + kCut.size() ? byte + kBehind : text.size();
  while (end < text.size() && goes_on(text[end])) ++end;

  std::string line(first > 0 ? kCut : "");
  line += text.substr(first, end - first);
  // What would break the line, or steer the terminal.
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  const std::size_t indent = (first > 0 ? kCut.size() : 0) + column_at(text.substr(first), byte - first) - 1;
  return Error{"column " + std::to_string(column_at(text, byte)) + ": " + what + "\n  " + line +
               std::string(end < text.size() ? kCut : "") + "\n  " + std::string(indent, ' ') + "^"};
}

}  // namespace foretask::distribution
