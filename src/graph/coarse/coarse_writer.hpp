// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "foretask/analysis/task_graph.hpp"
#include "graph/coarse/calls.hpp"
#include "graph/coarse/coarse_strands.hpp"

namespace foretask::graph {

// The graph of the tasks and strands that are left. Throws std::bad_alloc.
[[nodiscard]] analysis::TaskGraph write_coarse_graph(const analysis::TaskGraph& graph, const Calls& calls,
                                                     const CoarseStrands& strands);

}  // namespace foretask::graph
