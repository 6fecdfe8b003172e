// SPDX-License-Identifier: Apache-2.0
// Who called whom, if each task of a recording were a plain call: where tasks begin, which strands create them, what
// their subtrees take, and which subtrees cannot be calls.
#pragma once

#include <cstdint>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::graph {

class CallTree {
 public:
  using NodeIndex = analysis::NodeIndex;

  // The graph must stay. Errors: no recording, arrays that do not fit together, a task before the strand that creates
  // it. Throws std::bad_alloc.
  [[nodiscard]] static Result<CallTree> of(const analysis::TaskGraph& graph);

  // HOT. A task's first strand; kNoNode: it has none.
  [[nodiscard]] NodeIndex first_strand(std::uint32_t task) const noexcept { return first_strand_[task]; }
  // It has a parent, and ran.
  [[nodiscard]] bool is_explicit(std::uint32_t task) const noexcept {
    return graph_.parent_of_task[task] != analysis::kNoNode && first_strand_[task] != analysis::kNoNode;
  }
  // The strand that its first one comes from: that created it; of a loop's share the thread's one before. Or kNoNode.
  [[nodiscard]] NodeIndex creator(std::uint32_t task) const noexcept { return creator_[task]; }
  // Its own work and that of its descendants. What a parallel region does within a task is part of it.
  [[nodiscard]] std::int64_t subtree_ns(std::uint32_t task) const noexcept { return subtree_ns_[task]; }
  // In its subtree is a detached task, a region of several threads, or one that other numbers of threads would divide.
  [[nodiscard]] bool stays_whole(std::uint32_t task) const noexcept { return stays_whole_[task] != 0; }
  // One a node: 1 where it stands for several tasks that others depend on. Empty: there is none.
  [[nodiscard]] const std::vector<std::uint8_t>& join_nodes() const noexcept { return join_nodes_; }

 private:
  explicit CallTree(const analysis::TaskGraph& graph);
  [[nodiscard]] Result<void> read_edges();
  void mark_dividing_regions();
  void sum_up();

  const analysis::TaskGraph& graph_;
  std::vector<NodeIndex> first_strand_;
  std::vector<NodeIndex> creator_;
  std::vector<std::int64_t> subtree_ns_;
  std::vector<std::uint8_t> stays_whole_;
  std::vector<std::uint8_t> join_nodes_;
};

// Of a strand on a worker; 0 for what has none.
[[nodiscard]] inline std::int64_t worker_ns(const analysis::TaskGraph& graph, analysis::NodeIndex node) noexcept {
  return graph.occupies_worker(node) && graph.duration_ns[node] > 0 ? graph.duration_ns[node] : 0;
}

}  // namespace foretask::graph
