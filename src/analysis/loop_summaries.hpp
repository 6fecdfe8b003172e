// SPDX-License-Identifier: Apache-2.0
// What a recording says of its parallel loops.
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

}  // namespace foretask::wiring
