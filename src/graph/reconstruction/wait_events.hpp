// SPDX-License-Identifier: Apache-2.0
// What a task waits for within its own code: other tasks, locks, messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "graph/reconstruction/cancelled_groups.hpp"
#include "graph/reconstruction/reconstruction_state.hpp"
#include "graph/reconstruction/task_order.hpp"

namespace foretask::graph {

// taskwait, taskgroup, taskwait with dependences.
class WaitEvents {
 public:
  WaitEvents(ReconstructionState& state, TaskOrder& order, CancelledGroups& groups)
      : state_(state), order_(order), groups_(groups) {}

  // `state`: kTaskwait, or kGroup at the end of a taskgroup's body.
  void begin_wait(std::uint32_t worker, FrameState state);
  void on_wait_end(std::uint32_t worker);
  // `task`: the number that the taskwait with dependences was given.
  void on_depend_wait_end(std::uint32_t worker, std::uint32_t task);
  void on_group_begin(std::uint32_t worker);
  void on_group_end(std::uint32_t worker);

 private:
  // The gap before a strand: since when, how long without probes, and behind what.
  struct Idle {
    std::int64_t since_ns = -1;
    std::int64_t net_ns = 0;
    Boundary behind = Boundary::kOther;
  };

  [[nodiscard]] Idle idle_of(std::uint32_t worker) const;
  // The worker's task goes on behind that gap; what it waited for was done at `ready_ns`.
  void note_resume(std::uint32_t worker, const Idle& idle, std::int64_t ready_ns);

  ReconstructionState& state_;
  TaskOrder& order_;
  CancelledGroups& groups_;
};

// Critical sections, OpenMP's locks, ordered parts: what tasks wait for them, and how long each is held. Taking a free
// lock is work of its task.
class LockEvents {
 public:
  explicit LockEvents(ReconstructionState& state) : state_(state), threads_(state.workers.size()) {}

  // `has_turns`: threads take it in an order of their own, and may wait though nobody holds it.
  void on_wait(std::uint32_t worker, std::uint64_t lock, bool has_turns);
  void on_acquired(std::uint32_t worker, std::uint64_t lock);
  // Nothing where the worker does not hold it.
  void on_released(std::uint32_t worker, std::uint64_t lock);

  // As TaskGraph::locks. O(locks log locks).
  [[nodiscard]] std::vector<analysis::LockHold> finish() const;

 private:
  struct Held {
    std::uint64_t lock = 0;
    std::uint32_t depth = 1;  // nestable locks
    std::uint32_t task = kNone;
    double since_ns = 0;  // on the clock of the task's frame
    std::int64_t waited_ns = 0;
  };
  struct Thread {
    std::vector<Held>::iterator find(std::uint64_t id) { return std::ranges::find(held, id, &Held::lock); }

    std::vector<Held> held;
    std::uint64_t wanted = 0;         // the lock that it waits for
    std::int64_t wait_since_ns = -1;  // -1: it waits for none
    bool is_first_to_want = false;    // the lock was free: its task goes on
  };
  struct Hold {
    analysis::LockHold sums;
    std::uint32_t task = kNone;  // one that held it: some kernels are known at the end only
  };
  struct Lock {
    std::vector<Hold> holds;              // by kernel: few hold the same
    std::uint32_t holders = 0;            // 2 for an instant: a release is told after it
    std::uint32_t latest_holder = kNone;  // a thread
    std::uint32_t first_to_want = 0;      // threads
  };

  void wait(std::uint32_t worker);
  [[nodiscard]] double clock_ns(std::uint32_t worker) const;

  ReconstructionState& state_;
  std::vector<Thread> threads_;
  std::unordered_map<std::uint64_t, Lock> locks_;
};

// Calls whose time is not the task's own, and the messages that come and go in them.
class MessageEvents {
 public:
  explicit MessageEvents(ReconstructionState& state) : state_(state), calls_(state.workers.size()) {}

  void on_block_begin(std::uint32_t worker);
  void on_block_end(std::uint32_t worker);
  void on_sent(std::uint32_t worker, const std::uint32_t* payload);
  void on_received(std::uint32_t worker, const std::uint32_t* payload);
  void on_collective_enter(std::uint32_t worker, const std::uint32_t* payload);
  void on_collective_leave(std::uint32_t worker, const std::uint32_t* payload);

 private:
  // What the strand after the call waited for, as places in the lists of messages.
  struct Call {
    bool splits_strand = false;
    std::vector<std::size_t> arrivals;
    std::vector<std::size_t> departures;
  };

  // The worker's call, in which something comes or goes. Null where it is in none.
  Call* call_of(std::uint32_t worker);

  ReconstructionState& state_;
  std::vector<Call> calls_;                                                          // by worker
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> open_collectives_;  // (communicator, number)
};

}  // namespace foretask::graph
