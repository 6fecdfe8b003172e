// SPDX-License-Identifier: Apache-2.0
// Where a kernel's source is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/page/page.hpp"

namespace foretask::report {

struct SourcePlace {
  std::string file;  // with its folders as compiled, where they are known
  int line = 0;
};

// Of the kernel with that name; empty: it has none.
[[nodiscard]] std::optional<SourcePlace> source_place(const PageContent& content, std::string_view kernel);

// By PageContent::source_link; empty: none is wanted, or the kernel's place is not known.
[[nodiscard]] std::string source_link(const PageContent& content, std::string_view kernel);

}  // namespace foretask::report
