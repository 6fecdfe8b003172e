// SPDX-License-Identifier: Apache-2.0
// HOT: the replay under work stealing: a deque a worker, its owner at the bottom, thieves with seeded random victims at
// the top. For a recording the workers act as those of LLVM's OpenMP runtime do (docs/simulator.md, "Work stealing").
//
// An instant has two halves. First every strand that ends at it is handled, and what becomes ready goes to deques.
// Then the workers without work decide: their own continuation or deque first, other deques after that, and what is
// still in deques is offered to workers that have been idle for longer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "simulate/cores/durations.hpp"
#include "simulate/cores/event_queue.hpp"
#include "simulate/cores/page_array.hpp"
#include "simulate/cores/pending_counts.hpp"
#include "simulate/cores/replay.hpp"
#include "simulate/cores/worker_set.hpp"
#include "simulate/stealing/node_deque.hpp"
#include "simulate/stealing/task_tree.hpp"
#include "statistics/random.hpp"

namespace foretask::simulate {

// kRecording: nodes are strands of OpenMP tasks, tied to the workers that began them.
template <bool kRecording>
class WorkStealing {
 public:
  // `tree` is for a recording, else nullptr. Everything referred to must stay as long as the object.
  WorkStealing(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options,
               std::span<const std::int64_t> duration_ns, PendingCounts& pending, const TaskTree* tree,
               std::span<analysis::ScheduledNode> schedule);

  Replay run();

 private:
  using NodeIndex = analysis::NodeIndex;

  // What a worker may start: anything, or the descendants of the tied explicit task that waits innermost on its stack.
  struct Constraint {
    bool binds = false;
    Subtree task;
  };
  struct Suspended {
    NodeIndex continuation;
    // The task is implicit: in the recorded run it had a thread of its own and kept nothing below it from going on.
    bool is_implicit;
    Constraint constraint;  // while this is the innermost
  };
  struct Worker {
    NodeDeque deque;
    std::vector<Suspended> suspended;  // the stack, the innermost last
    std::uint32_t resumable = 0;       // of them, how many wait for nothing any more
  };

  // In the worker's place of a finish event: the node ran on no worker, and what it makes ready goes to the deque of
  // the worker in the other bits.
  static constexpr std::uint32_t kDetached = 0x80000000U;

  void count_creations();
  void handle_instant();
  void finish(const Event& event);
  void finish_strand(NodeIndex node, std::uint32_t worker);
  void release_met(std::uint32_t worker);
  void continue_behind(NodeIndex node, NodeIndex continuation, NodeIndex at_once, std::uint32_t worker);
  void release(NodeIndex node, std::uint32_t worker);
  void become_ready(NodeIndex node, std::uint32_t worker);
  void suspend(std::uint32_t worker, NodeIndex continuation, std::uint32_t task);
  [[nodiscard]] bool is_tied(std::uint32_t task) const noexcept;
  void push(std::uint32_t worker, NodeIndex node);

  void decide();
  bool take_own(std::uint32_t worker);
  bool resume(std::uint32_t worker, bool from_any_depth);
  bool steal(std::uint32_t thief);
  void take_from(std::uint32_t victim, std::uint32_t thief);
  void offer(std::uint32_t victim);
  std::uint32_t idle_worker_for(NodeIndex node);
  void begin(std::uint32_t worker, NodeIndex node, std::int64_t cost_ns);
  bool break_stall();

  void become_idle(std::uint32_t worker);
  void wake(std::uint32_t worker);
  [[nodiscard]] Constraint constraint_of(std::uint32_t worker) const noexcept;
  [[nodiscard]] bool is_allowed(NodeIndex node, const Constraint& constraint) const noexcept;

  const analysis::TaskGraph& graph_;
  const analysis::SchedulingCosts costs_;
  std::int64_t team_start_ns_ = 0;  // more than recorded
  const std::int64_t* duration_ns_;
  const std::int64_t* release_ns_;  // nullptr: all 0
  const std::uint8_t* cores_;       // nullptr: all 1
  PendingCounts& pending_;
  const TaskTree* tree_;
  analysis::ScheduledNode* schedule_;  // nullptr: not asked for
  statistics::Random random_;

  std::vector<Worker> workers_;
  WorkerSet free_;     // idle, may take any task
  WorkerSet waiting_;  // idle with a tied explicit task on the stack: may take its descendants alone
  WorkerSet loaded_;   // deque not empty
  WorkerSet changed_;  // deques whose top may be new to the idle workers
  std::vector<std::uint32_t> deciding_;
  std::vector<std::uint32_t> looking_;  // kept for its memory, as is
  std::vector<NodeIndex> met_;          // by the strand at hand: tasks whose last dependence it was
  // Recordings: of each task, the worker whose stack it waits on, or kNoWorker; of each node, the explicit tasks that
  // it creates (empty where creating costs nothing).
  std::vector<std::uint32_t> home_;
  PageArray<std::uint8_t> creates_;
  EventQueue finishes_;
  EventQueue releases_;
  std::int64_t now_ns_ = 0;
  std::size_t finished_ = 0;
};

// Replays under work stealing with the costs, the seed and the cores of `options`. Errors: costs that cannot be, a
// recording whose arrays do not fit together.
[[nodiscard]] Result<Replay> replay_work_stealing(const analysis::TaskGraph& graph,
                                                  const analysis::SimulationOptions& options,
                                                  const Durations& durations, PendingCounts& pending,
                                                  std::span<analysis::ScheduledNode> schedule);

}  // namespace foretask::simulate
