// SPDX-License-Identifier: Apache-2.0
// Critical sections, OpenMP's locks, ordered parts: what tasks wait for them, and how long each is held. Taking a free
// lock is work of its task.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "graph/reconstruction/reconstruction_state.hpp"

namespace foretask::graph {

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

}  // namespace foretask::graph
