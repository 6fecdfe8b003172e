// SPDX-License-Identifier: Apache-2.0
// Where a kernel's source is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/page/page.hpp"

namespace foretask::report {

struct SourcePlace {
  std::string file;
  int line = 0;
};

// Of "function (file:line)"; empty: the name has none.
[[nodiscard]] std::optional<SourcePlace> source_place(std::string_view kernel);

// By PageContent::source_link; empty: none is wanted, or the kernel's place is not known.
[[nodiscard]] std::string source_link(const PageContent& content, std::string_view kernel);

struct SourceLine {
  int number = 0;
  std::string text;
};

// The line and three on both sides; nothing where the file is not there, or too short.
[[nodiscard]] std::vector<SourceLine> source_lines(const SourcePlace& place);

}  // namespace foretask::report
