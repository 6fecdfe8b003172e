// SPDX-License-Identifier: Apache-2.0
// What a page shows of other input sizes and numbers of cores.
#pragma once

#include <string>
#include <vector>

#include "foretask/result.hpp"
#include "report/page/predicted_times.hpp"

namespace foretask::cli {

// From the recordings in `runs`, or else the store's runs of the program on this machine. Shows progress. Errors: of
// `runs`, as from `foretask predict`, and that they are of another program.
[[nodiscard]] Result<report::PredictedTimes> page_predicted_times(const std::string& program,
                                                                  const std::vector<std::string>& runs);

}  // namespace foretask::cli
