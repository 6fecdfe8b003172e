// SPDX-License-Identifier: Apache-2.0
// HOT: creation, start, suspension and end of tasks.
#pragma once

#include <cstdint>
#include <span>

#include "graph/reconstruction/fact_events.hpp"
#include "graph/reconstruction/reconstruction_state.hpp"
#include "graph/reconstruction/task_order.hpp"

namespace foretask::graph {

class TaskEvents {
 public:
  TaskEvents(ReconstructionState& state, TaskOrder& order, FactEvents& facts)
      : state_(state), order_(order), facts_(facts) {}

  // `flags`: foretask_task_flag.
  // `adopter`: the worker whose innermost task is the parent of one that the runtime creates where no task runs; kNone:
  // the same worker.
  void on_create(std::uint32_t worker, std::uint64_t code, std::uint32_t flags, std::uint32_t adopter = kNone);
  // `task` starts or goes on.
  void on_switch(std::uint32_t worker, std::uint32_t task);
  // The running task's body has ended; `detached`: the task completes when its event is fulfilled.
  void on_end(std::uint32_t worker, bool detached);
  void on_cancel(std::uint32_t worker, std::uint32_t task);
  void on_fulfill(std::uint32_t worker, std::uint32_t task);
  // All that the running task has made is part of it: `payload` of the event, `list` its kernels, and what its events
  // cost the tasks, and what between them.
  struct SubtreeProbes {
    double within_ns = 0;
    double between_ns = 0;
  };
  // Counted in the task `within`, and made as that one was.
  void on_taken(std::uint32_t worker, std::uint64_t code, std::uint32_t within);
  void on_subtree(std::uint32_t worker, const std::uint32_t* payload, std::span<const std::uint32_t> list,
                  const SubtreeProbes& probes, double ns_per_tick);
  // What waits for the task may go on.
  void complete(std::uint32_t task);

 private:
  void start(std::uint32_t worker, std::uint32_t task, bool was_idle);
  void resume_top(std::uint32_t worker);
  [[nodiscard]] Frame take_frame(std::uint32_t worker, std::uint32_t task);
  void suspend_top(std::uint32_t worker, std::uint32_t next);
  void pass_on_children(std::uint32_t task);
  void add_child(std::uint32_t parent, std::uint32_t task);
  [[nodiscard]] NodeIndex creating_strand(std::uint32_t task) const;
  void adopt(std::uint32_t worker, std::uint32_t task);
  void finish(std::uint32_t task);
  void pass_empty(std::uint32_t task);
  [[nodiscard]] bool is_of_suspended(std::uint32_t worker, std::uint32_t task) const;
  void pass_resumed(std::uint32_t worker, std::uint32_t task);
  void pass_met_empty();
  void note_gap(std::uint32_t worker, std::uint32_t task);
  [[nodiscard]] bool runs_at_once(std::uint32_t worker, std::uint32_t task) const;
  [[nodiscard]] bool parent_waits(std::uint32_t worker, std::uint32_t parent, std::uint32_t flags);

  ReconstructionState& state_;
  TaskOrder& order_;
  FactEvents& facts_;
};

}  // namespace foretask::graph
