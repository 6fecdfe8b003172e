// SPDX-License-Identifier: Apache-2.0
// HOT: ready tasks in one queue for the whole team, behind one lock, as libgomp keeps them. Idle workers are woken for
// them; a worker whose task waits takes what that waits for alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/quad_heap.hpp"
#include "simulate/stealing/replay_workers.hpp"

namespace foretask::simulate {

// HOT: the ready tasks of a team that has one queue for all its threads, as libgomp's has. Threads at a barrier take
// the oldest. A task that waits takes what it waits for, the newest first: each task is in a list of that wait as well.
// Whoever takes a task from one place leaves it in the other, where it is passed over later.
class TeamQueue {
 public:
  using NodeIndex = analysis::NodeIndex;

  // Of a recording, which must stay as long as the object.
  explicit TeamQueue(const analysis::TaskGraph& graph)
      : graph_(graph),
        newest_(graph.size(), kIsNoWait),
        older_(graph.parent_of_task.size(), analysis::kNoNode),
        wait_for_(graph.parent_of_task.size(), analysis::kNoNode),
        maker_(graph.parent_of_task.size(), 0),
        state_(graph.parent_of_task.size(), State::kOutside) {
    for (NodeIndex node = 0; node < graph.size(); ++node) {
      const std::uint32_t task = graph.task_of_node[node];
      if (!is_explicit(task) || wait_for_[task] != analysis::kNoNode) continue;
      for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
        const NodeIndex next = graph.successors[e];
        // A barrier's node runs on no worker: what it waits for all threads may take.
        if (graph.edge_kind[e] != analysis::EdgeKind::kJoin || graph.task_of_node[next] == task ||
            !graph.occupies_worker(next))
          continue;
        wait_for_[task] = next;
        newest_[next] = analysis::kNoNode;
        break;
      }
    }
  }

  // The strand behind a wait for tasks: a taskwait's or a taskgroup's.
  [[nodiscard]] bool is_wait(NodeIndex node) const noexcept { return newest_[node] != kIsNoWait; }
  // The strand behind the wait that waits for the task, or kNoNode.
  [[nodiscard]] NodeIndex wait_for(std::uint32_t task) const noexcept { return wait_for_[task]; }

  // `node` is ready; `worker` made it so.
  void push(NodeIndex node, std::uint32_t worker) {
    const std::uint32_t task = graph_.task_of_node[node];
    if (state_[task] == State::kOutside && is_explicit(task)) ++tasks_;
    state_[task] = State::kQueued;
    ++size_;
    maker_[task] = worker;
    queue_.push_back(node);
    if (wait_for_[task] == analysis::kNoNode) return;
    older_[task] = newest_[wait_for_[task]];
    newest_[wait_for_[task]] = node;
  }
  // The oldest of all, or of those that the wait before `wait` waits for the newest. kNoNode: there is none.
  NodeIndex take_oldest() {
    drop_taken();
    if (queue_.empty()) return analysis::kNoNode;
    const NodeIndex node = take(queue_.front());
    queue_.pop_front();
    return node;
  }
  NodeIndex take_newest_for(NodeIndex wait) {
    NodeIndex& newest = newest_[wait];
    while (newest != analysis::kNoNode) {
      const NodeIndex node = take(newest);
      newest = older_[graph_.task_of_node[newest]];
      if (node != analysis::kNoNode) return node;
    }
    return analysis::kNoNode;
  }
  // The worker that made a node ready that was taken.
  [[nodiscard]] std::uint32_t maker_of(NodeIndex node) const noexcept { return maker_[graph_.task_of_node[node]]; }

  // Whether the oldest is a thread's part of a parallel region.
  [[nodiscard]] bool starts_member() {
    drop_taken();
    return !queue_.empty() && !is_explicit(graph_.task_of_node[queue_.front()]);
  }
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

  void drop_taken() {
    while (!queue_.empty() && state_[graph_.task_of_node[queue_.front()]] != State::kQueued) queue_.pop_front();
  }
  // kNoNode where it was taken from its other place.
  NodeIndex take(NodeIndex node) noexcept {
    State& state = state_[graph_.task_of_node[node]];
    if (state != State::kQueued) return analysis::kNoNode;
    state = State::kTaken;
    --size_;
    return node;
  }
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

class TeamTasks {
 public:
  using NodeIndex = analysis::NodeIndex;

  // Of a recording. Everything referred to must stay as long as the object.
  TeamTasks(const analysis::TaskGraph& graph, const analysis::SimulationOptions& /*options*/,
            ReplayWorkers<true>& workers)
      : graph_(graph), workers_(workers), queue_(graph), is_taken_from_(workers.count()) {}

  // Whether the next task that a worker creates runs at once.
  [[nodiscard]] bool has_no_room(std::uint32_t /*worker*/) const noexcept {
    return workers_.costs().runs_at_once(queue_.tasks());
  }
  // A worker that waits for the task may have had nothing left to run.
  void push(NodeIndex node, std::uint32_t worker) {
    queue_.push(node, worker);
    const NodeIndex wait = queue_.wait_for(graph_.task_of_node[node]);
    const std::uint32_t waiting =
        wait == analysis::kNoNode ? kNoWorker : workers_.waits().home_of(graph_.task_of_node[wait]);
    if (waiting != kNoWorker && workers_.waits().innermost(waiting) == wait) workers_.wake(waiting);
  }
  // When the creator of a task that was queued goes on behind `strand`, at the earliest: the lock has served it.
  [[nodiscard]] std::int64_t queued_ns(NodeIndex strand) noexcept {
    return served_ns(workers_.costs().added_ns(strand), workers_.costs().create_held_ns());
  }
  void end(std::uint32_t task) noexcept { queue_.end(task); }

  // What the worker may take.
  bool take(std::uint32_t worker) {
    return begin(worker, waits_for_tasks(worker) ? queue_.take_newest_for(workers_.waits().innermost(worker))
                                                 : queue_.take_oldest());
  }
  // There is one queue, and it was looked at.
  [[nodiscard]] bool steal(std::uint32_t /*thief*/) const noexcept { return false; }
  // A worker found nothing.
  void become_idle(std::uint32_t worker) {
    workers_.idle().insert(worker, waits_for_tasks(worker));
    workers_.come_by(worker, Arrival::kFromWait);
  }
  // After all have decided. Idle workers look for what is queued when they are awake. Whoever comes first takes it,
  // such as its creator. A thread's part of a region is for an idle one.
  void offer() {
    while (!workers_.idle().free().empty() && queue_.starts_member()) begin(take_idle(), queue_.take_oldest());
    while (queue_.size() > waking_ && !workers_.idle().free().empty()) {
      const std::uint32_t worker = take_idle();
      wakes_.push({workers_.now_ns() + workers_.costs().wake_ns(), worker, worker});
      ++waking_;
    }
  }
  // The first worker begins the oldest, whatever binds it. False where there is nothing.
  bool begin_any() {
    workers_.idle().erase(0);
    return begin(0, queue_.take_oldest());
  }

  // When the next worker is awake.
  [[nodiscard]] std::uint64_t next_time_ns() const noexcept { return wakes_.next_time_ns(); }
  void handle_next() {
    const std::uint32_t worker = wakes_.pop().worker;
    --waking_;
    workers_.come_by(worker, Arrival::kWoken);
    workers_.decide_next(worker);
  }

  // Nothing is left to chance.
  [[nodiscard]] bool has_chosen() const noexcept { return false; }

 private:
  // The innermost of the worker's stack is a taskwait or a taskgroup's end, and no barrier.
  [[nodiscard]] bool waits_for_tasks(std::uint32_t worker) const noexcept {
    const NodeIndex innermost = workers_.waits().innermost(worker);
    return innermost != analysis::kNoNode && queue_.is_wait(innermost);
  }
  std::uint32_t take_idle() noexcept {
    const WorkerSet& free = workers_.idle().free();
    const std::uint32_t worker = free[free.size() - 1];
    workers_.idle().erase(worker);
    return worker;
  }

  bool begin(std::uint32_t worker, NodeIndex node) {
    if (node == analysis::kNoNode) return false;
    const StealingCosts& costs = workers_.costs();
    const std::uint32_t maker = queue_.maker_of(node);
    if (maker != worker) is_taken_from_[maker] = 1;
    const bool is_contended = maker == worker && std::exchange(is_taken_from_[worker], 0) != 0;
    Arrival arrival = maker != worker ? Arrival::kStolen
                      : is_contended  ? Arrival::kContended
                                      : workers_.came_by(worker);
    std::int64_t waited_ns = 0;
    std::int64_t takes_ns = costs.before_ns(node, arrival);
    if (workers_.came_by(worker) == Arrival::kWoken) {
      arrival = Arrival::kWoken;
      waited_ns = takes_ns = costs.wake_ns();
    }
    workers_.begin(worker, node, arrival, served_ns(waited_ns, std::min(costs.take_held_ns(), takes_ns)));
    return true;
  }
  // When the lock has served a worker that asked for it `ago_ns` ago and keeps it for `held_ns`.
  std::int64_t served_ns(std::int64_t ago_ns, std::int64_t held_ns) noexcept {
    return lock_free_ns_ = std::max(lock_free_ns_, workers_.now_ns() - ago_ns) + held_ns;
  }

  const analysis::TaskGraph& graph_;
  ReplayWorkers<true>& workers_;
  TeamQueue queue_;
  std::vector<std::uint8_t> is_taken_from_;  // of each worker: another has begun what it made ready
  EventQueue wakes_;                         // of idle workers
  std::uint32_t waking_ = 0;                 // of them
  std::int64_t lock_free_ns_ = 0;
};

}  // namespace foretask::simulate
