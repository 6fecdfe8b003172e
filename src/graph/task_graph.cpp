// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/task_graph.hpp"

#include <algorithm>

#include "graph/task_graph_order.hpp"
#include "graph/team_shares.hpp"

namespace foretask::analysis {
namespace {

using graph::saturated_sum;

// The longest path that begins at `node`, whose successors are known already.
std::int64_t bottom_level(const TaskGraph& graph, const std::vector<std::int64_t>& weight_ns,
                          const std::vector<std::int64_t>& level, NodeIndex node) noexcept {
  std::int64_t longest = 0;
  for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
    longest = std::max(longest, level[graph.successors[e]]);
  }
  return saturated_sum(longest, std::max<std::int64_t>(weight_ns[node], 0));
}

}  // namespace

std::int64_t work_ns(const TaskGraph& graph) {
  // A recording's work is that of its strands: what was waited for outside of OpenMP is none.
  const bool strands_alone = !graph.task_of_node.empty() && !graph.cores.empty();
  std::int64_t sum = 0;
  for (std::size_t node = 0; node < graph.size(); ++node) {
    if (strands_alone && graph.cores[node] == 0) continue;
    sum = saturated_sum(sum, std::max<std::int64_t>(graph.duration_ns[node], 0));
  }
  return sum;
}

std::int64_t assumed_even_ns(const TaskGraph& graph) {
  return graph::assumed_even_ns(graph.team, graph::TeamShares(graph.team, graph.duration_ns));
}

std::int64_t span_ns(const TaskGraph& graph) {
  const std::vector<std::int64_t> divided_ns =
      graph::indivisible_ns(graph.team, graph::TeamShares(graph.team, graph.duration_ns), graph.duration_ns);
  const std::vector<std::int64_t>& weight_ns = divided_ns.empty() ? graph.duration_ns : divided_ns;
  std::vector<std::int64_t> level(graph.size(), 0);
  std::int64_t span = 0;
  const std::vector<NodeIndex> order = graph::topological_order(graph);
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    level[*node] = bottom_level(graph, weight_ns, level, *node);
    span = std::max(span, level[*node]);
  }
  return span;
}

}  // namespace foretask::analysis
