// SPDX-License-Identifier: Apache-2.0
// HOT: ready nodes in a deque for each worker. A worker takes its own newest node, idle ones steal the oldest, and what
// becomes ready is offered to workers that have been idle for longer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/quad_heap.hpp"
#include "simulate/stealing/replay_workers.hpp"
#include "statistics/random.hpp"

namespace foretask::simulate {

// HOT: a worker's deque of ready nodes: the owner works at the bottom, thieves at the top. A ring that doubles.
class NodeDeque {
 public:
  [[nodiscard]] bool empty() const noexcept { return top_ == bottom_; }
  [[nodiscard]] std::size_t size() const noexcept { return bottom_ - top_; }
  [[nodiscard]] analysis::NodeIndex top() const noexcept { return ring_[top_ & mask_]; }
  [[nodiscard]] analysis::NodeIndex bottom() const noexcept { return ring_[(bottom_ - 1) & mask_]; }

  void push_bottom(analysis::NodeIndex node) {
    if (size() == ring_.size()) grow();
    ring_[bottom_++ & mask_] = node;
  }
  analysis::NodeIndex pop_bottom() noexcept { return ring_[--bottom_ & mask_]; }
  analysis::NodeIndex pop_top() noexcept { return ring_[top_++ & mask_]; }

 private:
  void grow() {
    std::vector<analysis::NodeIndex> ring(ring_.empty() ? 16 : 2 * ring_.size());
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) ring[i] = ring_[(top_ + i) & mask_];
    ring_ = std::move(ring);
    mask_ = ring_.size() - 1;
    top_ = 0;
    bottom_ = count;
  }

  std::vector<analysis::NodeIndex> ring_;
  std::size_t mask_ = 0;
  std::size_t top_ = 0;
  std::size_t bottom_ = 0;
};

// Deques or workers looked at before giving up: keeps a decision constant-time on thousands of workers. On up to as
// many workers nothing is missed.
inline constexpr std::uint32_t kMaxProbes = 64;

template <bool kRecording>
class DequeTasks {
 public:
  using NodeIndex = analysis::NodeIndex;

  // Everything referred to must stay as long as the object.
  DequeTasks(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options,
             ReplayWorkers<kRecording>& workers)
      : graph_(graph),
        workers_(workers),
        deques_(workers.count()),
        is_stolen_from_(workers.count()),
        loaded_(workers.count()),
        changed_(workers.count()),
        random_(options.seed) {}

  // Whether the worker runs the next task that it creates at once.
  [[nodiscard]] bool has_no_room(std::uint32_t worker) const noexcept {
    return workers_.costs().runs_at_once(deques_[worker].size());
  }
  void push(NodeIndex node, std::uint32_t worker) {
    deques_[worker].push_bottom(node);
    loaded_.insert(worker);
    changed_.insert(worker);
    workers_.wake(worker);
  }
  // When the creator of a task that was queued goes on behind `strand`, at the earliest.
  [[nodiscard]] std::int64_t queued_ns(NodeIndex /*strand*/) const noexcept { return 0; }
  void end(std::uint32_t /*task*/) const noexcept {}

  // From the worker's own deque.
  bool take(std::uint32_t worker) {
    const NodeDeque& deque = deques_[worker];
    TaskWaits<kRecording>& waits = workers_.waits();
    if (deque.empty() || !waits.is_allowed(deque.bottom(), waits.constraint_of(worker))) return false;
    begin_newest(worker);
    return true;
  }
  bool steal(std::uint32_t thief) {
    const std::uint32_t victim = victim_for(thief);
    if (victim == kNoWorker) return false;
    begin_oldest_of(victim, thief);
    return true;
  }
  // A worker found nothing.
  void become_idle(std::uint32_t worker) {
    workers_.idle().insert(worker, workers_.waits().constraint_of(worker).binds);
  }
  // After all have decided: what is left, to workers that are idle.
  void offer() {
    while (!changed_.empty()) {
      const std::uint32_t victim = changed_[changed_.size() - 1];
      changed_.erase(victim);
      offer_of(victim);
    }
  }
  // Whoever has something begins it, whatever binds it. False where nobody has.
  bool begin_any() {
    if (loaded_.empty()) return false;
    const std::uint32_t worker = loaded_[0];
    workers_.idle().erase(worker);
    begin_newest(worker);
    return true;
  }

  // Nothing happens by itself.
  [[nodiscard]] std::uint64_t next_time_ns() const noexcept { return EventQueue::kNever; }
  void handle_next() const noexcept {}

  // Whether some thief had more than one victim to choose from: else another seed changes nothing.
  [[nodiscard]] bool has_chosen() const noexcept { return has_chosen_; }

 private:
  void begin_newest(std::uint32_t worker) {
    const bool is_contended = std::exchange(is_stolen_from_[worker], 0) != 0;
    const NodeIndex node = deques_[worker].pop_bottom();
    if (deques_[worker].empty()) loaded_.erase(worker);
    workers_.begin(worker, node, is_contended ? Arrival::kContended : workers_.came_by(worker));
  }
  void begin_oldest_of(std::uint32_t victim, std::uint32_t thief) {
    const NodeIndex node = deques_[victim].pop_top();
    is_stolen_from_[victim] = 1;
    if (deques_[victim].empty()) loaded_.erase(victim);
    workers_.begin(thief, node, Arrival::kStolen);
  }

  // From a random worker on, the first whose oldest node the thief may take; its next one may then be new to idle
  // workers. kNoWorker where none is found.
  std::uint32_t victim_for(std::uint32_t thief) noexcept {
    const std::uint32_t victims = loaded_.size();
    if (victims == 0) return kNoWorker;
    TaskWaits<kRecording>& waits = workers_.waits();
    const auto constraint = waits.constraint_of(thief);
    std::uint32_t place = random_.below(victims);
    has_chosen_ = has_chosen_ || victims > 1;
    for (std::uint32_t probes = std::min(victims, kMaxProbes); probes > 0; --probes) {
      const std::uint32_t victim = loaded_[place];
      if (victim != thief && waits.is_allowed(deques_[victim].top(), constraint)) {
        changed_.insert(victim);
        return victim;
      }
      place = place + 1 == victims ? 0 : place + 1;
    }
    return kNoWorker;
  }

  // From the top of a deque, while idle workers may take what is there.
  void offer_of(std::uint32_t victim) {
    while (!deques_[victim].empty()) {
      const std::uint32_t thief = idle_worker_for(deques_[victim].top());
      if (thief == kNoWorker) return;
      workers_.idle().erase(thief);
      begin_oldest_of(victim, thief);
    }
  }

  std::uint32_t idle_worker_for(NodeIndex node) {
    const WorkerSet& free = workers_.idle().free();
    if (!free.empty()) return free[free.size() - 1];
    TaskWaits<kRecording>& waits = workers_.waits();
    const WorkerSet& bound = workers_.idle().bound();
    if (bound.size() <= kMaxProbes) {
      for (std::uint32_t place = 0; place < bound.size(); ++place) {
        if (waits.is_allowed(node, waits.constraint_of(bound[place]))) return bound[place];
      }
      return kNoWorker;
    }
    // Many wait: the node's own ancestors are fewer.
    std::uint32_t ancestor = graph_.task_of_node[node];
    for (std::uint32_t probes = kMaxProbes; probes > 0; --probes) {
      ancestor = graph_.parent_of_task[ancestor];
      if (ancestor == analysis::kNoNode) break;
      const std::uint32_t worker = waits.home_of(ancestor);
      if (worker != kNoWorker && bound.contains(worker) && waits.is_allowed(node, waits.constraint_of(worker)))
        return worker;
    }
    return kNoWorker;
  }

  const analysis::TaskGraph& graph_;
  ReplayWorkers<kRecording>& workers_;
  std::vector<NodeDeque> deques_;             // of each worker, who takes its own newest node, a thief the oldest
  std::vector<std::uint8_t> is_stolen_from_;  // since the worker's latest own node
  WorkerSet loaded_;                          // deque not empty
  WorkerSet changed_;                         // the oldest node may be new to the idle workers
  statistics::Random random_;
  bool has_chosen_ = false;
};

}  // namespace foretask::simulate
