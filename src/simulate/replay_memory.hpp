// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"

namespace foretask::simulate {

// How many of such replays at once have room, at most `wanted`. The error, where not even one has, says how much is
// needed and how much there is. Small replays are let through unseen.
[[nodiscard]] Result<std::size_t> replays_with_room(const analysis::TaskGraph& graph,
                                                    const analysis::SimulationOptions& options, std::size_t wanted);

// The same for replays of drawn times, each of which has a graph of its own, beside the table that all draw from and as
// many makespans as they leave.
[[nodiscard]] Result<std::size_t> samplings_with_room(const analysis::TaskGraph& graph,
                                                      const analysis::SimulationOptions& options,
                                                      std::uint64_t makespans, std::size_t wanted);

}  // namespace foretask::simulate
