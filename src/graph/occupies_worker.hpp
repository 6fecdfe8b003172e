// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "foretask/analysis/task_graph.hpp"

namespace foretask::graph {

// False for what has no core to itself: a barrier's node, what was waited for outside, a task-graph file's `cores: 0`.
[[nodiscard]] inline bool occupies_worker(const analysis::TaskGraph& graph, analysis::NodeIndex node) noexcept {
  return graph.cores.empty() || graph.cores[node] != 0;
}

}  // namespace foretask::graph
