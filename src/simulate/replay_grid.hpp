// SPDX-License-Identifier: Apache-2.0
// What plain and sampled replays of a grid have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"

namespace foretask::simulate {

// Errors: no scenario, no number of cores, no core where there is no platform.
[[nodiscard]] Result<void> check_grid(const analysis::SimulationOptions& options, const analysis::ReplayGrid& grid);

// How many threads are asked for: at least one.
[[nodiscard]] std::size_t threads_of(const analysis::ReplayGrid& grid) noexcept;

[[nodiscard]] analysis::SimulationOptions with_scenario(analysis::SimulationOptions options,
                                                        const analysis::Scenario& scenario);

// How many of the grid's replays at once have room, at most `wanted`, the graphs with divided loops included. The
// error, where not even one has, says how much is needed and how much there is. Small replays are let through unseen.
[[nodiscard]] Result<std::size_t> replays_with_room(const analysis::TaskGraph& graph,
                                                    const analysis::SimulationOptions& options,
                                                    const analysis::ReplayGrid& grid, std::size_t wanted);

// The same for replays of drawn times, each of which has a graph of its own, beside the table that all draw from and
// the makespans.
[[nodiscard]] Result<std::size_t> samplings_with_room(const analysis::TaskGraph& graph,
                                                      const analysis::SimulationOptions& options,
                                                      const analysis::ReplayGrid& grid, std::size_t wanted);

// The same for one graph whose loops are divided among so many cores.
[[nodiscard]] Result<void> check_room_to_divide(const analysis::TaskGraph& graph, std::uint32_t cores,
                                                std::span<const analysis::LoopChange> loops);

}  // namespace foretask::simulate
