// SPDX-License-Identifier: Apache-2.0
// Orders of a task graph's nodes, O(nodes + edges) each, the nodes of each task, and edges put in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::graph {

// a + b, at most the largest int64. Neither is below 0.
[[nodiscard]] inline std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

// Every node behind its predecessors: by index where that is such an order. Where there are cycles, what comes after
// one is left out.
[[nodiscard]] std::vector<analysis::NodeIndex> topological_order(const analysis::TaskGraph& graph);

// A node on a cycle, or kNoNode.
[[nodiscard]] analysis::NodeIndex node_on_cycle(const analysis::TaskGraph& graph);

// Of a graph that has a cycle.
[[nodiscard]] Error cycle_error(const analysis::TaskGraph& graph);

// By its id, as the graph's file has it.
[[nodiscard]] std::string task_name(const analysis::TaskGraph& graph, analysis::NodeIndex node);

// An edge, with its kind (EdgeKind) or its bytes.
template <typename Detail>
struct Edge {
  analysis::NodeIndex from;
  analysis::NodeIndex to;
  Detail detail;
};

// Gives the graph its edges, by source and then by target. Edges between the same nodes are one: of the first one's
// kind, or with the bytes of all.
template <typename Detail>
void set_edges(analysis::TaskGraph& graph, std::vector<Edge<Detail>> edges) {
  constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int64_t>::max();  // all that a file can say
  std::ranges::stable_sort(edges, {}, [](const auto& edge) { return std::uint64_t{edge.from} << 32 | edge.to; });
  graph.first_successor.assign(graph.size() + 1, 0);
  for (std::size_t at = 0; at < edges.size(); ++at) {
    const auto& [from, to, detail] = edges[at];
    const bool is_again = at != 0 && edges[at - 1].from == from && edges[at - 1].to == to;
    if constexpr (std::is_same_v<Detail, analysis::EdgeKind>) {
      if (!is_again) graph.edge_kind.push_back(detail);
    } else if (is_again) {
      graph.edge_bytes.back() = std::min(kMostBytes, graph.edge_bytes.back() + detail);
    } else {
      graph.edge_bytes.push_back(detail);
    }
    if (is_again) continue;
    ++graph.first_successor[from + std::size_t{1}];
    graph.successors.push_back(to);
  }
  for (std::size_t node = 0; node < graph.size(); ++node)
    graph.first_successor[node + 1] += graph.first_successor[node];
}

// The edges the other way round. Those into a node: [first[node], first[node + 1]) of the arrays, by where they begin.
struct Predecessors {
  // `with_edges`: they are looked for by their places as well.
  Predecessors(const analysis::TaskGraph& graph, bool with_edges);

  std::vector<std::uint64_t> first;
  std::vector<analysis::NodeIndex> nodes;
  std::vector<std::uint64_t> edges;  // places in TaskGraph::successors; or empty
};

// The nodes of each task, in order of index: of a recording a task's strands, else the node that the task is.
class TaskStrands {
 public:
  // Of the nodes that count alone.
  TaskStrands(const analysis::TaskGraph& graph,
              bool (*counts)(const analysis::TaskGraph& graph, analysis::NodeIndex node));

  [[nodiscard]] std::size_t tasks() const noexcept { return first_.size() - 1; }
  // Empty for a task without such a node.
  [[nodiscard]] std::span<const analysis::NodeIndex> of(std::size_t task) const noexcept {
    return {nodes_.data() + first_[task], nodes_.data() + first_[task + 1]};
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<analysis::NodeIndex> nodes_;
};

}  // namespace foretask::graph
