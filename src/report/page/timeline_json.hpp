// SPDX-License-Identifier: Apache-2.0
// The timeline as the page's script reads it (script/timeline_data.ts).
#pragma once

#include <string>
#include <vector>

#include "report/json_output.hpp"
#include "report/page/timeline_data.hpp"

namespace foretask::report {

// `names`: of the data's kernels.
[[nodiscard]] Json timeline_json(const TimelineData& data, const std::vector<std::string>& names);

}  // namespace foretask::report
