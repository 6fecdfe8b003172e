// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

using Edges =
    std::vector<std::tuple<foretask::analysis::NodeIndex, foretask::analysis::NodeIndex, foretask::analysis::EdgeKind>>;

// By source, then in the graph's order.
inline Edges edges_of(const foretask::analysis::TaskGraph& graph) {
  Edges edges;
  for (foretask::analysis::NodeIndex node = 0; node < graph.size(); ++node)
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e)
      edges.emplace_back(node, graph.successors[e], graph.edge_kind[e]);
  return edges;
}
