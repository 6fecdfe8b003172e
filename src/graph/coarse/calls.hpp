// SPDX-License-Identifier: Apache-2.0
// Which tasks of a recording become plain calls below a cut-off, and in which strand each then runs.
#pragma once

#include <cstdint>
#include <vector>

#include "base/huge_pages.hpp"
#include "foretask/analysis/coarse_graph.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::graph {

// Who called whom, if each task of a recording were a plain call: where tasks begin, which strands create them, what
// their subtrees take, and which subtrees cannot be calls.
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
  base::PagedVector<NodeIndex> first_strand_;
  base::PagedVector<NodeIndex> creator_;
  base::PagedVector<std::int64_t> subtree_ns_;
  std::vector<std::uint8_t> stays_whole_;
  std::vector<std::uint8_t> join_nodes_;
};

// Of a strand on a worker; 0 for what has none.
[[nodiscard]] inline std::int64_t worker_ns(const analysis::TaskGraph& graph, analysis::NodeIndex node) noexcept {
  return graph.occupies_worker(node) && graph.duration_ns[node] > 0 ? graph.duration_ns[node] : 0;
}

class Calls {
 public:
  using NodeIndex = analysis::NodeIndex;

  // All must stay. Throws std::bad_alloc.
  Calls(const analysis::TaskGraph& graph, const CallTree& tree, const analysis::CutOff& cut_off);

  // HOT. The strand of a task that stays, at whose end the task runs; kNoNode: it stays a task itself.
  [[nodiscard]] NodeIndex caller(std::uint32_t task) const noexcept { return caller_[task]; }
  [[nodiscard]] bool is_call(NodeIndex node) const noexcept { return caller_[graph_.task_of_node[node]] != kNone; }
  // The node stands for several tasks that others wait for, and all of them are calls: nobody waits for it.
  [[nodiscard]] bool is_settled(NodeIndex node) const noexcept { return !settled_.empty() && settled_[node] != 0; }
  // Of a task that stays: tasks that it created became calls.
  [[nodiscard]] bool has_calls(std::uint32_t task) const noexcept { return has_calls_[task] != 0; }

  [[nodiscard]] std::uint64_t strands_left() const noexcept { return strands_left_; }
  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }      // explicit ones that are left
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }      // explicit ones that are not
  [[nodiscard]] std::uint64_t waiting() const noexcept { return waiting_; }  // as in CoarseGraph
  [[nodiscard]] std::uint64_t whole() const noexcept { return whole_; }

 private:
  static constexpr NodeIndex kNone = analysis::kNoNode;

  void decide(std::uint32_t task);
  void decide_on_explicit(std::uint32_t task, std::uint32_t parent);
  [[nodiscard]] bool is_below(std::uint32_t task) const;
  void hand_on(NodeIndex node);

  const analysis::TaskGraph& graph_;
  const CallTree& tree_;
  const analysis::CutOff& cut_off_;
  std::vector<bool> is_meant_;           // one a kernel; empty: all are
  base::PagedVector<NodeIndex> caller_;  // one a task
  std::vector<std::uint32_t> depth_;     // one a task; empty: the cut-off has none
  std::vector<std::uint8_t> waits_;      // one a task: for one that is left
  std::vector<std::uint8_t> has_calls_;
  std::vector<std::uint8_t> settled_;  // one a node, until a task that is left leads to it; or empty
  std::uint64_t strands_left_ = 0;
  std::uint64_t tasks_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t waiting_ = 0;
  std::uint64_t whole_ = 0;
};

}  // namespace foretask::graph
