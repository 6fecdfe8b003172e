// SPDX-License-Identifier: Apache-2.0
#include "graph/task_strands.hpp"

namespace foretask::graph {

using analysis::NodeIndex;
using analysis::TaskGraph;

TaskStrands::TaskStrands(const TaskGraph& graph, bool (*counts)(const TaskGraph& graph, NodeIndex node)) {
  const auto count = static_cast<NodeIndex>(graph.size());
  const bool is_recording = !graph.task_of_node.empty();
  const auto task_of = [&](NodeIndex node) { return is_recording ? graph.task_of_node[node] : node; };
  first_.assign((is_recording ? graph.parent_of_task.size() : graph.size()) + 1, 0);
  for (NodeIndex node = 0; node < count; ++node)
    if (counts(graph, node)) ++first_[task_of(node) + 1];
  for (std::size_t task = 1; task < first_.size(); ++task) first_[task] += first_[task - 1];
  nodes_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (NodeIndex node = 0; node < count; ++node)
    if (counts(graph, node)) nodes_[next[task_of(node)]++] = node;
}

}  // namespace foretask::graph
