// SPDX-License-Identifier: Apache-2.0
// `foretask diff`: what changed between recordings, as text, JSON and a page.
#pragma once

#include <string>

#include "foretask/analysis/run_difference.hpp"
#include "report/output.hpp"

namespace foretask::report {

[[nodiscard]] std::string difference_text(const analysis::RunDifference& difference);

[[nodiscard]] std::string difference_json(const analysis::RunDifference& difference);

// `is_anonymous`: no path, host or command line in it. A failed write is told by output.finish().
void write_difference_page(const analysis::RunDifference& difference, bool is_anonymous, Output& output);

}  // namespace foretask::report
