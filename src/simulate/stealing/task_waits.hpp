// SPDX-License-Identifier: Apache-2.0
// HOT: recorded tasks that wait on the stacks of workers which began them, and what those workers may start meanwhile:
// OpenMP's task scheduling constraint. A graph that is no recording (kRecording false) has none of either.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/pending_counts.hpp"

namespace foretask::simulate {

// A task and its descendants, as places of the walk.
struct Subtree {
  std::uint32_t place = 0;
  std::uint32_t size = 0;

  [[nodiscard]] bool holds_below_its_root(std::uint32_t other) const noexcept {
    // Unsigned: a place before this one's wraps round to a large distance.
    const std::uint32_t distance = other - place;
    return distance != 0 && distance < size;
  }
};

// Who descends from whom among a recording's tasks, in constant time: each task has its place in a walk of the tree
// that visits parents first, so that its descendants are the places right behind it. 8 bytes a task.
class TaskTree {
 public:
  // Nothing where a parent was created after its child.
  static std::optional<TaskTree> of(const std::vector<std::uint32_t>& parent_of_task) {
    const std::size_t count = parent_of_task.size();
    TaskTree tree;
    tree.size_.assign(count, 1);
    for (std::size_t task = count; task-- > 0;) {
      const std::uint32_t parent = parent_of_task[task];
      if (parent == analysis::kNoNode) continue;
      if (parent >= task) return std::nullopt;
      tree.size_[parent] += tree.size_[task];
    }
    tree.place_.resize(count);
    std::vector<std::uint32_t> next(count);  // the place of a task's next child
    std::uint32_t next_root = 0;
    for (std::size_t task = 0; task < count; ++task) {
      const std::uint32_t parent = parent_of_task[task];
      std::uint32_t& place = parent == analysis::kNoNode ? next_root : next[parent];
      tree.place_[task] = place;
      next[task] = place + 1;
      place += tree.size_[task];
    }
    return tree;
  }

  // HOT
  [[nodiscard]] std::uint32_t place(std::uint32_t task) const noexcept { return place_[task]; }
  [[nodiscard]] Subtree subtree(std::uint32_t task) const noexcept { return {place_[task], size_[task]}; }

 private:
  std::vector<std::uint32_t> place_;
  std::vector<std::uint32_t> size_;  // of the task's subtree, itself included
};

template <bool kRecording>
class TaskWaits {
 public:
  using NodeIndex = analysis::NodeIndex;

  // What a worker may start: anything, or the descendants of the tied explicit task that waits innermost on its stack,
  // where the runtime binds it so.
  struct Constraint {
    bool binds = false;
    Subtree task;
  };

  // `tree` is for a recording, else nullptr. Everything referred to must stay as long as the object.
  TaskWaits(const analysis::TaskGraph& graph, const TaskTree* tree, const PendingCounts& pending, std::size_t workers,
            analysis::RuntimeRules::Waiting waiting)
      : graph_(graph),
        tree_(tree),
        pending_(pending),
        binds_(waiting == analysis::RuntimeRules::Waiting::kDescendants),
        stacks_(workers),
        home_(graph.parent_of_task.size(), analysis::kNoWorker) {}

  // The worker leaves `continuation` of `task`, which waits for nothing: it may go on here at any time.
  void put_aside(std::uint32_t worker, NodeIndex continuation, std::uint32_t task) {
    push(worker, continuation, task);
    ++stacks_[worker].resumable;
  }
  // The task waits; a tied one goes on where it began, an untied one anywhere.
  void suspend(std::uint32_t worker, NodeIndex continuation, std::uint32_t task) {
    if (!is_tied(task)) return;
    push(worker, continuation, task);
    home_[task] = worker;
  }
  // The worker on which the task of `node`, now ready, waits and can go on; kNoWorker where it waits on none.
  std::uint32_t come_home(NodeIndex node) noexcept {
    if constexpr (!kRecording) return analysis::kNoWorker;
    std::uint32_t& home = home_[graph_.task_of_node[node]];
    const std::uint32_t worker = home;
    if (worker == analysis::kNoWorker) return worker;
    ++stacks_[worker].resumable;
    home = analysis::kNoWorker;
    return worker;
  }
  // The worker on which a task waits, or kNoWorker.
  [[nodiscard]] std::uint32_t home_of(std::uint32_t task) const noexcept { return home_[task]; }

  [[nodiscard]] bool can_resume(std::uint32_t worker) const noexcept { return stacks_[worker].resumable != 0; }
  // Takes the innermost continuation that waits for nothing; kNoNode where there is none. What waits for an explicit
  // task's children keeps all below it on the stack, but for `from_any_depth`.
  NodeIndex resume(std::uint32_t worker, bool from_any_depth) {
    Stack& stack = stacks_[worker];
    if (stack.resumable == 0) return analysis::kNoNode;
    for (std::size_t depth = stack.entries.size(); depth-- > 0;) {
      const Suspended& entry = stack.entries[depth];
      if (pending_.none(entry.continuation)) {
        const NodeIndex node = entry.continuation;
        stack.entries.erase(stack.entries.begin() + static_cast<std::ptrdiff_t>(depth));
        --stack.resumable;
        return node;
      }
      if (!from_any_depth && !entry.is_implicit) break;
    }
    return analysis::kNoNode;
  }

  // The innermost continuation on the worker's stack; kNoNode: the stack is empty.
  [[nodiscard]] NodeIndex innermost(std::uint32_t worker) const noexcept {
    const auto& entries = stacks_[worker].entries;
    return entries.empty() ? analysis::kNoNode : entries.back().continuation;
  }
  [[nodiscard]] Constraint constraint_of(std::uint32_t worker) const noexcept {
    const auto& entries = stacks_[worker].entries;
    return entries.empty() ? Constraint{} : entries.back().constraint;
  }
  // A worker on which a tied task waits may start descendants of that task alone. The constraint says nothing of untied
  // tasks, nor of implicit ones.
  [[nodiscard]] bool is_allowed(NodeIndex node, const Constraint& constraint) const noexcept {
    if constexpr (kRecording) {
      if (!constraint.binds) return true;
      const std::uint32_t task = graph_.task_of_node[node];
      if (constraint.task.holds_below_its_root(tree_->place(task))) return true;
      return !is_tied(task) || graph_.parent_of_task[task] == analysis::kNoNode;
    }
    return true;
  }

 private:
  struct Suspended {
    NodeIndex continuation;
    // The task is implicit: in the recorded run it had a thread of its own and kept nothing below it from going on.
    bool is_implicit;
    Constraint constraint;  // while this is the innermost
  };
  struct Stack {
    std::vector<Suspended> entries;  // the innermost last
    std::uint32_t resumable = 0;     // of them, how many wait for nothing any more
  };

  void push(std::uint32_t worker, NodeIndex continuation, std::uint32_t task) {
    const bool is_implicit = graph_.parent_of_task[task] == analysis::kNoNode;
    // An untied task binds nobody: what is below it does.
    Constraint constraint = constraint_of(worker);
    if (is_tied(task)) constraint = {binds_ && !is_implicit, tree_->subtree(task)};
    stacks_[worker].entries.push_back({continuation, is_implicit, constraint});
  }
  [[nodiscard]] bool is_tied(std::uint32_t task) const noexcept {
    return graph_.task_is_untied.empty() || graph_.task_is_untied[task] == 0;
  }

  const analysis::TaskGraph& graph_;
  const TaskTree* tree_;
  const PendingCounts& pending_;
  const bool binds_;
  std::vector<Stack> stacks_;        // one a worker
  std::vector<std::uint32_t> home_;  // of each task, the worker whose stack it waits on, or kNoWorker
};

}  // namespace foretask::simulate
