// SPDX-License-Identifier: Apache-2.0
// HOT: the workers of a replay by work stealing: what each runs, what waits on its stack, and which of them are idle or
// have to decide what to do next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "simulate/cores/pending_counts.hpp"
#include "simulate/cores/quad_heap.hpp"
#include "simulate/stealing/task_waits.hpp"
#include "simulate/stealing/work_stealing.hpp"

namespace foretask::simulate {

// HOT: a set of workers with constant-time insert, erase and pick by place. The order of places depends on nothing but
// the history of calls.
class WorkerSet {
 public:
  explicit WorkerSet(std::size_t workers) : place_(workers, kAbsent) { members_.reserve(workers); }

  [[nodiscard]] bool empty() const noexcept { return members_.empty(); }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(members_.size()); }
  [[nodiscard]] bool contains(std::uint32_t worker) const noexcept { return place_[worker] != kAbsent; }
  [[nodiscard]] std::uint32_t operator[](std::uint32_t place) const noexcept { return members_[place]; }

  void insert(std::uint32_t worker) noexcept {
    if (contains(worker)) return;
    place_[worker] = size();
    members_.push_back(worker);
  }
  void erase(std::uint32_t worker) noexcept {
    if (!contains(worker)) return;
    const std::uint32_t last = members_.back();
    members_[place_[worker]] = last;
    place_[last] = place_[worker];
    place_[worker] = kAbsent;
    members_.pop_back();
  }

 private:
  static constexpr std::uint32_t kAbsent = 0xffffffffU;

  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> place_;
};

// HOT: the workers that found nothing to start.
class IdleWorkers {
 public:
  explicit IdleWorkers(std::size_t workers) : free_(workers), bound_(workers) {}

  // `is_bound`: it may start descendants of the task that waits on its stack alone.
  void insert(std::uint32_t worker, bool is_bound) noexcept { (is_bound ? bound_ : free_).insert(worker); }
  // False where it was not idle.
  bool erase(std::uint32_t worker) noexcept {
    if (!free_.contains(worker) && !bound_.contains(worker)) return false;
    free_.erase(worker);
    bound_.erase(worker);
    return true;
  }

  [[nodiscard]] const WorkerSet& free() const noexcept { return free_; }
  [[nodiscard]] const WorkerSet& bound() const noexcept { return bound_; }

 private:
  WorkerSet free_;
  WorkerSet bound_;
};

template <bool kRecording>
class ReplayWorkers {
 public:
  using NodeIndex = analysis::NodeIndex;

  // In the worker's place of a finish event: the node ran on no worker, and what it makes ready is ready on the worker
  // in the other bits.
  static constexpr std::uint32_t kDetached = 0x80000000U;

  // All have to decide at time 0. `tree` is for a recording, else nullptr. `schedule`: a place for each node, or empty.
  // Everything referred to must stay as long as the object.
  ReplayWorkers(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options,
                std::span<const std::int64_t> duration_ns, StealingCosts costs, const PendingCounts& pending,
                const TaskTree* tree, std::span<analysis::ScheduledNode> schedule)
      : duration_ns_(duration_ns.data()),
        schedule_(schedule.empty() ? nullptr : schedule.data()),
        count_(std::clamp<std::size_t>(graph.size(), 1, std::min<std::size_t>(options.cores, kDetached - 1))),
        costs_(std::move(costs)),
        waits_(graph, tree, pending, count_, options.costs.rules.waiting),
        idle_(count_),
        came_by_(count_, Arrival::kFromWait),
        deciding_(count_) {
    std::iota(deciding_.begin(), deciding_.end(), 0U);
  }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] const StealingCosts& costs() const noexcept { return costs_; }
  [[nodiscard]] TaskWaits<kRecording>& waits() noexcept { return waits_; }
  [[nodiscard]] IdleWorkers& idle() noexcept { return idle_; }
  [[nodiscard]] EventQueue& finishes() noexcept { return finishes_; }
  [[nodiscard]] std::int64_t now_ns() const noexcept { return now_ns_; }
  void set_now(std::int64_t ns) noexcept { now_ns_ = ns; }

  // What the worker's next node that was ready before comes behind.
  [[nodiscard]] Arrival came_by(std::uint32_t worker) const noexcept { return came_by_[worker]; }
  void come_by(std::uint32_t worker, Arrival arrival) noexcept { came_by_[worker] = arrival; }

  // The node starts, not before `served_ns`. `is_full`: there is no room for more tasks.
  void begin(std::uint32_t worker, NodeIndex node, Arrival arrival, std::int64_t served_ns = 0, bool is_full = false) {
    const std::int64_t start_ns = std::max(served_ns, now_ns_ + costs_.before_ns(node, arrival));
    const std::int64_t end_ns = start_ns + duration_ns_[node] + costs_.added_ns(node, is_full);
    if (schedule_ != nullptr) schedule_[node] = {start_ns, end_ns, worker};
    finishes_.push({end_ns, node, worker});
  }
  // On no worker; `worker` made it ready.
  void begin_detached(std::uint32_t worker, NodeIndex node) {
    const std::int64_t end_ns = now_ns_ + duration_ns_[node];
    if (schedule_ != nullptr) schedule_[node] = {now_ns_, end_ns, analysis::kNoWorker};
    finishes_.push({end_ns, node, kDetached | worker});
  }
  // What waits on the worker's stack and can go on. False where there is nothing.
  bool resume(std::uint32_t worker, bool from_any_depth) {
    const NodeIndex node = waits_.resume(worker, from_any_depth);
    if (node == analysis::kNoNode) return false;
    begin(worker, node, Arrival::kResumed);
    return true;
  }

  void decide_next(std::uint32_t worker) { deciding_.push_back(worker); }
  // An idle worker has a reason to decide again.
  void wake(std::uint32_t worker) {
    if (idle_.erase(worker)) decide_next(worker);
  }
  // The workers that have to decide, none of which decides anew meanwhile. Whoever asks clears it.
  [[nodiscard]] std::vector<std::uint32_t>& deciding() noexcept { return deciding_; }

 private:
  const std::int64_t* duration_ns_;
  analysis::ScheduledNode* schedule_;  // nullptr: not asked for
  const std::size_t count_;
  const StealingCosts costs_;
  TaskWaits<kRecording> waits_;
  IdleWorkers idle_;
  std::vector<Arrival> came_by_;  // of each worker
  std::vector<std::uint32_t> deciding_;
  EventQueue finishes_;
  std::int64_t now_ns_ = 0;
};

}  // namespace foretask::simulate
