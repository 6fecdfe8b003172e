// SPDX-License-Identifier: Apache-2.0
// The order that tasks are in beside their creation: by depend clauses, by the ranges of memory that annotated tasks
// touch, and by the names of tasks that they come after or before.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/reconstruction/dependence_table.hpp"
#include "graph/reconstruction/range_table.hpp"
#include "graph/reconstruction/reconstruction_state.hpp"

namespace foretask::graph {

class TaskOrder {
 public:
  TaskOrder(ReconstructionState& state, bool rename_buffers)
      : state_(state), ranges_(rename_buffers), accesses_(state.workers.size()) {}

  // Of the worker's last created task.
  void on_dependences(std::uint32_t worker, const std::uint32_t* payload);
  void on_accesses(std::uint32_t worker, const std::uint32_t* payload);
  // The worker has created another task.
  void forget_accesses(std::uint32_t worker) { accesses_[worker].clear(); }

  // Nodes that stand for large sets, before the strand that follows them.
  void make_join_nodes(std::uint32_t task);
  // Edges into `strand`, the first of `task`, which starts on `worker`.
  void add_edges(std::uint32_t worker, std::uint32_t task, NodeIndex strand);
  // What comes after those that the task comes after begins now.
  void release_awaited(std::uint32_t task);
  // Of depend clauses alone: the end of a taskwait with dependences.
  void add_dependence_edges(std::uint32_t task, NodeIndex strand);
  void complete(std::uint32_t task);
  // All that it comes after is over, as far as is known.
  [[nodiscard]] bool is_met(std::uint32_t task);
  // One of the empty tasks for which complete() has met the last dependence; kNone: there is none any more.
  [[nodiscard]] std::uint32_t next_met_empty();
  // When the last of its dependences was met; 0: it has none.
  [[nodiscard]] std::int64_t ready_ns(std::uint32_t task);

 private:
  void order_after(std::uint32_t earlier, std::uint32_t later);
  void order_after_group(std::uint32_t owner, std::uint32_t later);
  void count_if_ready(std::uint32_t task);
  void add_access_edges(std::uint32_t worker, std::uint32_t task, NodeIndex strand);

  ReconstructionState& state_;
  DependenceTable dependences_;
  RangeTable ranges_;
  // By worker, of the task created last, as far as events have told them.
  std::vector<std::vector<RangeAccess>> accesses_;
  std::vector<std::uint32_t> met_empty_;
};

}  // namespace foretask::graph
