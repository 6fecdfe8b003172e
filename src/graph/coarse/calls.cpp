// SPDX-License-Identifier: Apache-2.0
#include "graph/coarse/calls.hpp"

#include "base/huge_pages.hpp"

namespace foretask::graph {

using analysis::CutOff;
using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::TaskGraph;

Calls::Calls(const TaskGraph& graph, const CallTree& tree, const CutOff& cut_off)
    : graph_(graph),
      tree_(tree),
      cut_off_(cut_off),
      caller_(base::filled_on_huge_pages(graph.parent_of_task.size(), kNoNode)),
      waits_(graph.parent_of_task.size(), 0),
      has_calls_(graph.parent_of_task.size(), 0),
      settled_(tree.join_nodes()) {
  if (cut_off.depth != analysis::kAnyDepth) depth_.assign(graph.parent_of_task.size(), 0);
  if (!cut_off.kernels.empty()) is_meant_.assign(graph.kernel_names.size(), false);
  for (const std::uint32_t kernel : cut_off.kernels)
    if (kernel < is_meant_.size()) is_meant_[kernel] = true;
  // In order of their starts: before a task come its parent and what it waits for.
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    const std::uint32_t task = graph.task_of_node[node];
    if (tree.first_strand(task) == node) decide(task);
    if (caller_[task] != kNoNode || is_settled(node)) continue;
    ++strands_left_;
    hand_on(node);
  }
}

// Those that depend on a task that is left wait for it.
void Calls::hand_on(NodeIndex node) {
  for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
    if (graph_.edge_kind[e] != EdgeKind::kDependence) continue;
    const NodeIndex next = graph_.successors[e];
    if (!settled_.empty()) settled_[next] = 0;
    const std::uint32_t task = graph_.task_of_node[next];
    if (tree_.first_strand(task) == next) waits_[task] = 1;
  }
}

bool Calls::is_below(std::uint32_t task) const {
  if (!is_meant_.empty()) {
    const std::uint32_t kernel = graph_.kernel[tree_.first_strand(task)];
    if (kernel >= is_meant_.size() || !is_meant_[kernel]) return false;
  }
  return tree_.subtree_ns(task) < cut_off_.grain_ns || (!depth_.empty() && depth_[task] > cut_off_.depth);
}

void Calls::decide(std::uint32_t task) {
  const std::uint32_t parent = graph_.parent_of_task[task];
  if (parent != kNoNode) {
    decide_on_explicit(task, parent);
    return;
  }
  // A region's thread, or its share of a loop: within a call it is one as well.
  const NodeIndex creator = tree_.creator(task);
  if (creator != kNoNode) caller_[task] = caller_[graph_.task_of_node[creator]];
}

void Calls::decide_on_explicit(std::uint32_t task, std::uint32_t parent) {
  if (!depth_.empty()) depth_[task] = depth_[parent] + 1;
  caller_[task] = caller_[parent];
  if (caller_[task] != kNoNode) {
    ++calls_;
    return;
  }
  ++tasks_;
  const NodeIndex creator = tree_.creator(task);
  if (!is_below(task)) return;
  if (creator == kNoNode) {
    // The runtime created it, where no code of the program's could call it.
    ++waiting_;
    return;
  }
  if (!graph_.occupies_worker(creator) || is_call(creator)) return;
  if (tree_.stays_whole(task)) {
    ++whole_;
  } else if (waits_[task] != 0) {
    ++waiting_;
  } else {
    caller_[task] = creator;
    has_calls_[graph_.task_of_node[creator]] = 1;
    --tasks_;
    ++calls_;
  }
}

}  // namespace foretask::graph
