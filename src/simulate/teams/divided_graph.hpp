// SPDX-License-Identifier: Apache-2.0
// A graph with its teams' work divided among another number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "simulate/teams/loop_shares.hpp"

namespace foretask::simulate {

// Phases whose work other numbers of threads divide: those of teams as large as the largest. A team that the program
// made smaller stays as it is; of a task-graph file all divide. On their own number of threads those with a loop of
// `loops`. Empty: none changes.
[[nodiscard]] std::vector<bool> phases_to_divide(const analysis::TeamWork& team, std::uint32_t threads,
                                                 std::span<const analysis::LoopChange> loops);

// The graph as `threads` threads would make it; nothing where that changes none of its phases. `duration_ns`: one a
// node, in place of the graph's own. Loops are dealt out by their schedules; what a phase's threads did outside of
// loops is done by each, or is a static loop itself (TeamPhase::rest_divides). Each thread has a node for each loop and
// one for the rest. Without parameters, and times of other worker classes. O(nodes + edges + phases * threads), time
// and memory.
[[nodiscard]] std::optional<analysis::TaskGraph> divided(const analysis::TaskGraph& graph,
                                                         std::span<const std::int64_t> duration_ns,
                                                         std::uint32_t threads, const LoopDealing& dealing);

}  // namespace foretask::simulate
