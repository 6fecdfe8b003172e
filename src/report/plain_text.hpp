// SPDX-License-Identifier: Apache-2.0
// Text that a writer makes piece by piece, as people, other tools, SVG and HTML can show it.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace foretask::report {

using Text = fmt::memory_buffer;

template <typename... Args>
void add(Text& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

// One line of well-formed UTF-8 without control characters, which become blanks; a byte that is no text becomes '?'.
// No blanks at either end; "(no name)" where nothing is left.
[[nodiscard]] std::string one_line(std::string_view name);

// Letters, not bytes.
[[nodiscard]] std::size_t width_of(std::string_view text);

// Breaks each line above 110 columns at a blank, and indents what follows as the line is. A line with two blanks
// between its words is a row of a table: it stays, as a longer word does.
[[nodiscard]] std::string wrapped(std::string_view text);

// One line with what has a meaning in SVG or HTML written so that it has none, in quotes as well.
[[nodiscard]] std::string markup_text(std::string_view text);

}  // namespace foretask::report
