// SPDX-License-Identifier: Apache-2.0
// What a task waits for within its own code: taskwait, taskgroup, taskwait with dependences.
#pragma once

#include <cstdint>

#include "graph/reconstruction/cancelled_groups.hpp"
#include "graph/reconstruction/reconstruction_state.hpp"
#include "graph/reconstruction/task_order.hpp"

namespace foretask::graph {

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

}  // namespace foretask::graph
