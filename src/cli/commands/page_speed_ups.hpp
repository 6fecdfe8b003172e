// SPDX-License-Identifier: Apache-2.0
// The replays that a page shows.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/options/input.hpp"
#include "foretask/result.hpp"
#include "report/page/speed_ups.hpp"

namespace foretask::cli {

// On 1, 2, 4, ... cores, with the kernels of most work some factors faster: as much of it as some two seconds allow.
// Shows progress. Errors: simulate()'s.
[[nodiscard]] Result<report::SpeedUps> page_speed_ups(const Input& input);

// Strands that replays on so many cores go through, one replay on each number: a team's work becomes one a thread.
[[nodiscard]] double strands_on(const analysis::TaskGraph& graph, const std::vector<std::uint32_t>& cores);

}  // namespace foretask::cli
