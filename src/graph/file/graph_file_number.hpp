// SPDX-License-Identifier: Apache-2.0
// Numbers as a task-graph file has them.
#pragma once

#include <charconv>
#include <string>

namespace foretask::graph {

// An integer, or a double with the fewest digits that read back as the same.
template <typename Number>
void append_number(std::string& text, Number value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace foretask::graph
