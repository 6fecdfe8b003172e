// SPDX-License-Identifier: Apache-2.0
// HOT: worksharing constructs: whose share of which loop a strand is, and what lies between two barriers of a team.
//
// A thread's share of a loop owns its strands, as a task does, under the loop's kernel; what waits and what is created
// in it stays the implicit task's.
#pragma once

#include <cstdint>
#include <vector>

#include "foretask/analysis/team_work.hpp"
#include "graph/reconstruction/reconstruction_state.hpp"

namespace foretask::graph {

// Of the loop of that number: so many chunks that one thread ran.
struct RecordedPiece {
  std::uint32_t loop = 0;
  std::uint32_t chunks = 1;
  analysis::LoopPiece piece;
};

class LoopEvents {
 public:
  explicit LoopEvents(ReconstructionState& state) : state_(state) {}

  void on_begin(std::uint32_t worker, const std::uint32_t* payload);
  void on_chunks(std::uint32_t worker, const std::uint32_t* payload);
  void on_end(std::uint32_t worker);
  // What the worker is in goes on in order, or is cut short: other numbers of threads would not divide it.
  void on_ordered(std::uint32_t worker);
  // The worker's running task leaves the loop that it is in, whether the trace says so or not. False where it is in
  // none.
  bool leave(Frame& frame);
  // It comes to a barrier in the midst of one: that was cancelled. What waits at the barrier is the task.
  void leave_cancelled(std::uint32_t worker, Frame& frame);

  // What was seen, in order.
  [[nodiscard]] analysis::TeamWork finish();

 private:
  // What a TeamLoop does not say.
  struct Instance {
    std::uint32_t region = kNone;
    KernelSite::Kind kind = KernelSite::Kind::kLoop;
    std::uint32_t schedule = 0;  // foretask_schedule
  };
  struct UnplacedShare {
    std::uint32_t share = kNone;
    std::uint32_t loop = 0;
  };

  void begin_taskloop(std::uint32_t worker, const Frame& frame, const std::uint32_t* payload);
  void begin_loop(std::uint32_t worker, Frame& frame, const std::uint32_t* payload);
  [[nodiscard]] std::uint32_t instance_of(Frame& frame, const std::uint32_t* payload);
  void learn_of(std::uint32_t loop, const std::uint32_t* payload);
  // Of a share of a loop whose place in the program is not known yet.
  [[nodiscard]] std::uint32_t unplaced_kernel(KernelSite::Kind kind) { return state_.kernels.number(kind, 0); }
  void place_shares();
  void cut_unfinished();
  void order_strands();
  void place_hand_outs();
  void place_taskloops();
  void find_singles(const analysis::TeamPhase& phase);
  void describe(std::uint32_t index);

  ReconstructionState& state_;
  analysis::TeamWork team_;
  std::vector<Instance> instances_;  // one a loop of team_
  std::vector<UnplacedShare> unplaced_;
  std::vector<RecordedPiece> pieces_;  // as they come
  std::vector<bool> single_has_end_;
};

}  // namespace foretask::graph
