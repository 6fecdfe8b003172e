// SPDX-License-Identifier: Apache-2.0
// A sweep as the commands run it: on all processors, with progress, as often as chance asks for.
#pragma once

#include <cstdint>
#include <vector>

#include "foretask/analysis/sweep.hpp"

namespace foretask::cli {

// Work stealing is a matter of chance: a single replay of a few hundred tasks may be some percent off the middle of
// them. A large graph evens it out by itself, and would take its time. An odd number; 1 under the other policies.
[[nodiscard]] std::uint32_t replays_of(const analysis::TaskGraph& graph, analysis::Policy policy);

// Fills in replays and progress.
[[nodiscard]] Result<std::vector<std::vector<analysis::SweepPoint>>> run_sweep(const analysis::TaskGraph& graph,
                                                                               analysis::SweepOptions options);

}  // namespace foretask::cli
