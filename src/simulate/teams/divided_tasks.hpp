// SPDX-License-Identifier: Apache-2.0
// A task-graph file's graph with its divisible work divided among another number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "simulate/teams/hand_out.hpp"

namespace foretask::simulate {

// As divide_teams() (divided_graph.hpp), of a graph that no recording made. A phase begins and ends with a node that
// needs no core: what the phase's tasks come after goes before all of its threads, and what comes after one of them
// after all. It starts at the latest release of its tasks, with their largest priority. The other tasks keep their ids;
// new nodes have larger ones, unless there is none. O(nodes + edges + phases * threads), time and memory.
[[nodiscard]] analysis::TaskGraph divide_tasks(const analysis::TaskGraph& graph,
                                               std::span<const std::int64_t> duration_ns, std::uint32_t threads,
                                               const LoopDealing& dealing, const std::vector<bool>& divides);

}  // namespace foretask::simulate
