// SPDX-License-Identifier: Apache-2.0
// What a replay leaves out of the run that it replays, in the makespans of others: docs/makespans.md, "What the replay
// leaves out".
#pragma once

#include <cstdint>
#include <span>

#include "foretask/analysis/makespan.hpp"

namespace foretask::simulate {

// How much of what a replay leaves out of a run on `recorded` cores one on `cores` does: it is time that cores wait, of
// which one core alone has none. 1 on as many; 1 for all where the run had one core.
[[nodiscard]] double left_out_share(std::uint32_t recorded, std::uint32_t cores) noexcept;

// Multiplies the makespans of samples 0, 1, ... on `cores` by what the run took over its replay, which is as uncertain
// for each sample as the replay's own luck. O(samples).
void add_left_out(const analysis::ReplayError& error, std::uint32_t cores, std::uint64_t seed,
                  std::span<double> makespans_ns);

}  // namespace foretask::simulate
