// SPDX-License-Identifier: Apache-2.0
// `foretask report --html`: a recorded run as a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foretask/analysis/cut_off_advice.hpp"
#include "foretask/analysis/efficiencies.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

struct PageOptions {
  std::string file;
  std::string source_link;
  bool is_anonymous = false;
  std::vector<std::string> with;  // recordings of the program, to predict other runs from; empty: those stored
  std::optional<double> from_s;   // the timeline's stretch, in seconds from the recording's start
  std::optional<double> to_s;
};

// Shows progress. Errors: the file cannot be written; from what a replay says.
[[nodiscard]] Result<void> write_report_page(analysis::Run run, const std::string& folder,
                                             const std::optional<analysis::CutOffAdvice>& cut_off,
                                             const std::vector<analysis::Efficiencies>& efficiencies,
                                             const PageOptions& options);

}  // namespace foretask::cli
