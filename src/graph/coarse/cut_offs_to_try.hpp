// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "foretask/analysis/coarse_graph.hpp"
#include "graph/coarse/call_tree.hpp"

namespace foretask::graph {

// As CoarseGraphs has them. `tree`: of the graph. Throws std::bad_alloc.
[[nodiscard]] std::vector<analysis::CutOff> grains_to_try(const analysis::TaskGraph& graph, const CallTree& tree);
[[nodiscard]] std::vector<analysis::CutOff> depths_to_try(const analysis::TaskGraph& graph, const CallTree& tree);

}  // namespace foretask::graph
