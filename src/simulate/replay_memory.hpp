// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"

namespace foretask::simulate {

// What one replay takes beside the graph at its most, in bytes; an estimate, a little above.
[[nodiscard]] std::uint64_t replay_bytes(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options);

// How many of such replays at once have room, at most `wanted`. The error, where not even one has, says how much is
// needed and how much there is. Small replays are let through unseen.
[[nodiscard]] Result<std::size_t> replays_with_room(const analysis::TaskGraph& graph,
                                                    const analysis::SimulationOptions& options, std::size_t wanted);

// The same for replays of drawn times, each of which has its own, beside the table that all draw from and as many
// makespans as they leave.
[[nodiscard]] Result<std::size_t> samplings_with_room(const analysis::TaskGraph& graph,
                                                      const analysis::SimulationOptions& options,
                                                      std::uint64_t makespans, std::size_t wanted);

}  // namespace foretask::simulate
