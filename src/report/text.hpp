// SPDX-License-Identifier: Apache-2.0
// Text that a writer makes piece by piece.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace foretask::report {

using Text = fmt::memory_buffer;

template <typename... Args>
void add(Text& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

}  // namespace foretask::report
