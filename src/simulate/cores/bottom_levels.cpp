// SPDX-License-Identifier: Apache-2.0
#include "simulate/cores/bottom_levels.hpp"

#include <algorithm>
#include <vector>

#include "graph/task_graph_order.hpp"

namespace foretask::simulate {

using analysis::NodeIndex;
using analysis::TaskGraph;

std::optional<BottomLevels> bottom_levels(const TaskGraph& graph, std::span<const std::int64_t> duration_ns,
                                          PendingCounts& pending) {
  const std::size_t count = graph.size();
  BottomLevels levels{.ns = PageArray<std::uint64_t>(count)};
  std::uint64_t* const level = levels.ns.data();
  const auto set = [&](NodeIndex node, std::uint64_t longest) {
    level[node] = longest + static_cast<std::uint64_t>(duration_ns[node]);
    levels.highest_ns = std::max(levels.highest_ns, level[node]);
  };

  bool numbered_topologically = true;
  for (std::size_t i = count; i-- > 0;) {
    std::uint64_t longest = 0;
    const NodeIndex* const end = graph.successors.data() + graph.first_successor[i + 1];
    for (const NodeIndex* next = graph.successors.data() + graph.first_successor[i]; next != end; ++next) {
      pending.add(*next);
      numbered_topologically &= *next > i;
      longest = std::max(longest, level[*next]);
    }
    set(static_cast<NodeIndex>(i), longest);
  }
  if (numbered_topologically) return levels;

  const std::vector<NodeIndex> order = graph::topological_order(graph);
  if (order.size() != count) return std::nullopt;
  levels.highest_ns = 0;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    std::uint64_t longest = 0;
    for (std::uint64_t e = graph.first_successor[*node]; e < graph.first_successor[*node + 1]; ++e) {
      longest = std::max(longest, level[graph.successors[e]]);
    }
    set(*node, longest);
  }
  return levels;
}

}  // namespace foretask::simulate
