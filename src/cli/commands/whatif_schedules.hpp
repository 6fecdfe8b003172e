// SPDX-License-Identifier: Apache-2.0
// foretask whatif --schedules: what the program gains when its parallel loops have other schedules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/input.hpp"
#include "foretask/analysis/simulate.hpp"
#include "report/whatif/loop_schedules.hpp"

namespace foretask::cli {

// `names`: the loops asked for; empty: each with 1 % of the work. Shows progress. Errors: no identical cores; a name
// that is none of a loop; the replays'.
[[nodiscard]] Result<report::LoopSchedules> best_schedules(const Input& input,
                                                           const analysis::SimulationOptions& settings,
                                                           const std::vector<std::string>& names,
                                                           const std::vector<std::uint32_t>& cores);

}  // namespace foretask::cli
