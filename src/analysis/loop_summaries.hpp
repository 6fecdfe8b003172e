// SPDX-License-Identifier: Apache-2.0
// What a recording says of its parallel loops, and what of it more threads cannot divide.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "graph/team_shares.hpp"

namespace foretask::wiring {

// By kernel, most work first. `shares`: of the strands' durations. `names`: of the graph's kernels.
[[nodiscard]] std::vector<analysis::LoopSummary> loop_summaries(const graph::RecordedGraph& graph,
                                                                const graph::TeamShares& shares,
                                                                const std::vector<std::string>& names);

// Of the work, what is taken to divide though the recording does not show how: loops of which one thread ran all as one
// piece, and regions that may be a loop.
[[nodiscard]] std::int64_t assumed_even_ns(const graph::RecordedGraph& graph, const graph::TeamShares& shares);

}  // namespace foretask::wiring
