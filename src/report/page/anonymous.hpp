// SPDX-License-Identifier: Apache-2.0
// A report that says nothing of where and by whom it was made.
#pragma once

#include <string>
#include <string_view>

#include "foretask/analysis/run.hpp"

namespace foretask::report {

// Words with a "/" within keep what follows the last one: "/home/eve/data.bin" -> "data.bin".
[[nodiscard]] std::string without_paths(std::string_view text);

// Without command line, host, folders and environment. Parameters and warnings are without paths.
[[nodiscard]] analysis::Report anonymous(analysis::Report report);

}  // namespace foretask::report
