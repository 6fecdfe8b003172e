// SPDX-License-Identifier: Apache-2.0
// Orders of a task graph's nodes, O(nodes + edges) each, and the nodes of each task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::graph {

// a + b, at most the largest int64. Neither is below 0.
[[nodiscard]] inline std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

// True where every edge leads to a larger index: then the numbering is a topological order.
[[nodiscard]] bool is_numbered_topologically(const analysis::TaskGraph& graph) noexcept;

// Every node behind its predecessors. Where there are cycles, what comes after one is left out.
[[nodiscard]] std::vector<analysis::NodeIndex> topological_order(const analysis::TaskGraph& graph);

// A node on a cycle, or kNoNode.
[[nodiscard]] analysis::NodeIndex node_on_cycle(const analysis::TaskGraph& graph);

// Of a graph that has a cycle: names a task on it as the graph's file does.
[[nodiscard]] Error cycle_error(const analysis::TaskGraph& graph);

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
