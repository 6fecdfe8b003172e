// SPDX-License-Identifier: Apache-2.0
#include "simulate/sampled/task_strands.hpp"

namespace foretask::simulate {

using analysis::NodeIndex;
using analysis::TaskGraph;

TaskStrands::TaskStrands(const TaskGraph& graph) {
  const auto count = static_cast<NodeIndex>(graph.size());
  const bool is_recording = !graph.task_of_node.empty();
  const auto task_of = [&](NodeIndex node) { return is_recording ? graph.task_of_node[node] : node; };
  const auto takes_time = [&](NodeIndex node) {
    return graph.duration_ns[node] >= 0 && (graph.cores.empty() || graph.cores[node] != 0);
  };
  first_.assign((is_recording ? graph.parent_of_task.size() : graph.size()) + 1, 0);
  for (NodeIndex node = 0; node < count; ++node)
    if (takes_time(node)) ++first_[task_of(node) + 1];
  for (std::size_t task = 1; task < first_.size(); ++task) first_[task] += first_[task - 1];
  nodes_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (NodeIndex node = 0; node < count; ++node)
    if (takes_time(node)) nodes_[next[task_of(node)]++] = node;
}

}  // namespace foretask::simulate
