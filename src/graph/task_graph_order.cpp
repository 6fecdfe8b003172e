// SPDX-License-Identifier: Apache-2.0
#include "graph/task_graph_order.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace foretask::graph {
namespace {

using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;

// Takes nodes without pending predecessors until none is left; `pending` keeps what could not be met.
std::vector<NodeIndex> order_of(const TaskGraph& graph, std::vector<std::uint32_t>& pending) {
  const std::size_t count = graph.size();
  pending.assign(count, 0);
  for (const NodeIndex successor : graph.successors) ++pending[successor];
  std::vector<NodeIndex> order;
  order.reserve(count);
  for (NodeIndex i = 0; i < count; ++i) {
    if (pending[i] == 0) order.push_back(i);
  }
  for (std::size_t done = 0; done < order.size(); ++done) {
    const NodeIndex node = order[done];
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
      if (--pending[graph.successors[e]] == 0) order.push_back(graph.successors[e]);
    }
  }
  return order;
}

// True where every edge leads to a larger index.
bool is_numbered_topologically(const TaskGraph& graph) noexcept {
  for (NodeIndex i = 0; i < graph.size(); ++i) {
    for (std::uint64_t e = graph.first_successor[i]; e < graph.first_successor[i + 1]; ++e) {
      if (graph.successors[e] <= i) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<NodeIndex> topological_order(const TaskGraph& graph) {
  std::vector<std::uint32_t> pending;
  if (!is_numbered_topologically(graph)) return order_of(graph, pending);
  std::vector<NodeIndex> order(graph.size());
  std::iota(order.begin(), order.end(), NodeIndex{0});
  return order;
}

NodeIndex node_on_cycle(const TaskGraph& graph) {
  std::vector<std::uint32_t> pending;
  const std::size_t count = graph.size();
  if (order_of(graph, pending).size() == count) return kNoNode;
  // What is left has a predecessor that is left: walking back through those must come round to a node again.
  std::vector<NodeIndex> left_predecessor(count, kNoNode);
  NodeIndex node = kNoNode;
  for (NodeIndex i = 0; i < count; ++i) {
    if (pending[i] == 0) continue;
    node = i;
    for (std::uint64_t e = graph.first_successor[i]; e < graph.first_successor[i + 1]; ++e) {
      left_predecessor[graph.successors[e]] = i;
    }
  }
  for (std::size_t step = 0; step < count; ++step) node = left_predecessor[node];
  return node;
}

Error cycle_error(const TaskGraph& graph) {
  return Error{.what = task_name(graph, node_on_cycle(graph)) + " is on a cycle: it comes after itself"};
}

std::string task_name(const TaskGraph& graph, NodeIndex node) {
  return "task " + std::to_string(graph.id.empty() ? std::int64_t{node} : graph.id[node]);
}

Predecessors::Predecessors(const TaskGraph& graph, bool with_edges)
    : first(graph.size() + 1, 0), nodes(graph.edge_count()), edges(with_edges ? graph.edge_count() : 0) {
  for (const NodeIndex successor : graph.successors) ++first[successor + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
      const std::uint64_t place = next[graph.successors[e]]++;
      nodes[place] = node;
      if (with_edges) edges[place] = e;
    }
  }
}

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
