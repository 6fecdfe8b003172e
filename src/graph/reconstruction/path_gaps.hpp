// SPDX-License-Identifier: Apache-2.0
// Where a path through a recorded graph waited, and what the workers did meanwhile.
#pragma once

#include <cstddef>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/path_analysis.hpp"
#include "graph/reconstruction/recorded_graph.hpp"

namespace foretask::graph {

// The longest gaps of a path whose strands ran one after the other, longest first. Kernels are those of the graph.
// O(strands + gaps).
[[nodiscard]] std::vector<analysis::PathGap> longest_gaps(const RecordedGraph& graph, const Path& path,
                                                          std::size_t most);

}  // namespace foretask::graph
