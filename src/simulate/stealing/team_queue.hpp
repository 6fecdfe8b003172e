// SPDX-License-Identifier: Apache-2.0
// HOT: the ready tasks of a team that has one queue for all its threads, as libgomp's has. Threads at a barrier take
// the oldest. A task that waits takes what it waits for, the newest first: each task is in a list of that wait as well.
// Whoever takes a task from one place leaves it in the other, where it is passed over later.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::simulate {

class TeamQueue {
 public:
  using NodeIndex = analysis::NodeIndex;

  // Of a recording, which must stay as long as the object.
  explicit TeamQueue(const analysis::TaskGraph& graph);

  // The strand behind a wait for tasks: a taskwait's or a taskgroup's.
  [[nodiscard]] bool is_wait(NodeIndex node) const noexcept { return newest_[node] != kIsNoWait; }
  // The strand behind the wait that waits for the task, or kNoNode.
  [[nodiscard]] NodeIndex wait_for(std::uint32_t task) const noexcept { return wait_for_[task]; }

  // `node` is ready; `worker` made it so.
  void push(NodeIndex node, std::uint32_t worker);
  // The oldest of all, or of those that the wait before `wait` waits for the newest. kNoNode: there is none.
  NodeIndex take_oldest();
  NodeIndex take_newest_for(NodeIndex wait);
  // The worker that made a node ready that was taken.
  [[nodiscard]] std::uint32_t maker_of(NodeIndex node) const noexcept { return maker_[graph_.task_of_node[node]]; }

  // Whether the oldest is a thread's part of a parallel region.
  [[nodiscard]] bool starts_member();
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  // The explicit tasks that run or could run, those aside that ran within their creation.
  [[nodiscard]] std::uint32_t tasks() const noexcept { return tasks_; }
  // A task is over.
  void end(std::uint32_t task) noexcept {
    if (state_[task] == State::kTaken && is_explicit(task)) --tasks_;
  }

 private:
  enum class State : std::uint8_t { kOutside, kQueued, kTaken };
  static constexpr NodeIndex kIsNoWait = analysis::kNoNode - 1;

  void drop_taken();
  // kNoNode where it was taken from its other place.
  NodeIndex take(NodeIndex node) noexcept;
  [[nodiscard]] bool is_explicit(std::uint32_t task) const noexcept {
    return graph_.parent_of_task[task] != analysis::kNoNode;
  }

  const analysis::TaskGraph& graph_;
  std::deque<NodeIndex> queue_;       // the oldest first
  std::vector<NodeIndex> newest_;     // of each strand behind a wait: what it waits for and was ready last
  std::vector<NodeIndex> older_;      // of each task: the one before it in that list
  std::vector<NodeIndex> wait_for_;   // of each task
  std::vector<std::uint32_t> maker_;  // of each task
  std::vector<State> state_;          // of each task
  std::uint32_t size_ = 0;
  std::uint32_t tasks_ = 0;
};

}  // namespace foretask::simulate
