// SPDX-License-Identifier: Apache-2.0
// Orders of a task graph's nodes. O(nodes + edges) each.
#pragma once

#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::graph {

// True where every edge leads to a larger index: then the numbering is a topological order.
[[nodiscard]] bool is_numbered_topologically(const analysis::TaskGraph& graph) noexcept;

// Every node behind its predecessors. Where there are cycles, what comes after one is left out.
[[nodiscard]] std::vector<analysis::NodeIndex> topological_order(const analysis::TaskGraph& graph);

// A node on a cycle, or kNoNode.
[[nodiscard]] analysis::NodeIndex node_on_cycle(const analysis::TaskGraph& graph);

// Of a graph that has a cycle: names a task on it as the graph's file does.
[[nodiscard]] Error cycle_error(const analysis::TaskGraph& graph);

}  // namespace foretask::graph
