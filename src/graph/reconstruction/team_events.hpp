// SPDX-License-Identifier: Apache-2.0
// Parallel regions, implicit tasks and barriers; and where the program begins and ends.
#pragma once

#include <cstdint>

#include "graph/reconstruction/loop_events.hpp"
#include "graph/reconstruction/reconstruction_state.hpp"
#include "graph/reconstruction/task_events.hpp"

namespace foretask::graph {

class TeamEvents {
 public:
  // `main_worker`: the stream of the program's first thread, kNone where that one never used OpenMP. `last_use_ns`:
  // when the last thread came to OpenMP, or the last region began.
  TeamEvents(ReconstructionState& state, TaskEvents& tasks, LoopEvents& loops, std::uint32_t main_worker,
             std::int64_t last_use_ns)
      : state_(state), tasks_(tasks), loops_(loops), main_worker_(main_worker), last_use_ns_(last_use_ns) {}

  void on_region_begin(std::uint32_t worker, std::uint64_t code);
  void on_region_end(std::uint32_t worker, std::uint32_t region);
  void on_implicit_begin(std::uint32_t worker, const std::uint32_t* payload);
  void on_implicit_end(std::uint32_t worker, std::uint32_t task);
  void on_barrier_begin(std::uint32_t worker);
  void on_barrier_end(std::uint32_t worker);

  void on_thread_begin(std::uint32_t worker);

  // The task outside of parallel regions of the program's own thread, or of one that it made itself.
  void begin_initial(std::uint32_t worker, std::uint32_t task);
  // What comes is the runtime's shutting down.
  [[nodiscard]] bool is_program_over() const noexcept { return program_over_; }
  // No thread uses OpenMP. What the program does until one does again is taken for the last one's.
  [[nodiscard]] bool is_outside() const noexcept { return outside_ != kNone; }
  void return_from_outside();
  // The program's own time after the runtime's end, until `exit_ns`: destructors, giving memory back.
  void add_time_after_end(std::int64_t exit_ns);

 private:
  void let_outside_give_way(bool gives_way);
  void make_barrier_node(Region& region, Barrier& barrier);
  void note_gap(std::uint32_t worker, std::int64_t ready_ns, statistics::TimeHistogram& times);
  void note_region_end(std::uint32_t worker, const Region& region);

  ReconstructionState& state_;
  TaskEvents& tasks_;
  LoopEvents& loops_;
  const std::uint32_t main_worker_;
  const std::int64_t last_use_ns_;
  bool program_over_ = false;
  std::uint32_t last_task_ = kNone;     // that the program ended in
  std::uint32_t last_worker_ = 0;       // whose it was
  std::uint32_t outside_ = kNone;       // the worker that used OpenMP last when no thread did any more
  NodeIndex outside_strand_ = kNoNode;  // its last, when OpenMP is used again
  std::uint32_t submitters_ = 0;        // regions whose tasks a thread submits that runs none
};

}  // namespace foretask::graph
