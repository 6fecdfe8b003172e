// SPDX-License-Identifier: Apache-2.0
// HOT: opens and closes the strands of each worker while a graph is reconstructed, keeps the integrals of Occupancy in
// step, and takes the probes' cost out of where it fell.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/reconstruction/core_times.hpp"
#include "graph/reconstruction/occupancy.hpp"
#include "graph/reconstruction/recorded_graph.hpp"

namespace foretask::graph {

class StrandWriter {
 public:
  StrandWriter(RecordedGraph& out, std::size_t workers, std::uint64_t strands_at_most, Occupancy& occupancy);

  // A strand of `task` begins on `worker`, which runs none; the caller adds the edges into it.
  NodeIndex open(std::uint32_t worker, std::uint32_t task, std::int64_t now_ns);

  // The worker's strand ends; kNoNode when it runs none. `duration_ns` is its net time, `blocked_ns` what of it since
  // its opening or reopening was blocked in the system.
  struct Closed {
    NodeIndex strand = kNoNode;
    std::int64_t duration_ns = 0;
    double blocked_ns = 0;
    double with_runtime_ns = 0;  // the net time before what was charged for the runtime
  };
  Closed close(std::uint32_t worker, std::int64_t now_ns);

  // The strand that close() ended just now goes on: the time between was not its own.
  void reopen(std::uint32_t worker, NodeIndex strand, std::int64_t closed_ns, std::int64_t now_ns);

  // The worker's strand has done nothing of its own: it is as if it had never begun, and its time a gap's. False where
  // it is not the latest one.
  bool discard(std::uint32_t worker, std::int64_t now_ns);
  // The same of any: a node of no worker and of no length stays in its place, for `task`.
  void discard_in_place(std::uint32_t worker, std::uint32_t task, std::int64_t now_ns);

  // The runtime took so much of the worker's strand. What the strand is too short for is taken from the next ones.
  void charge(std::uint32_t worker, double runtime_ns) noexcept { state_[worker].debt_ns += runtime_ns; }

  // Between the tasks within the worker's strand the runtime took so much, up to now.
  void take_gaps(std::uint32_t worker, double ns, std::int64_t now_ns);
  [[nodiscard]] double gaps_ns() const noexcept { return gaps_ns_; }

  // The runtime took so much of a loop to hand out chunks. What the strand is too short for is taken from the worker's
  // next ones in the loop, until forget_hand_outs().
  void charge_hand_outs(std::uint32_t worker, double ns) noexcept { state_[worker].hand_out_debt_ns += ns; }
  void forget_hand_outs(std::uint32_t worker) noexcept { state_[worker].hand_out_debt_ns = 0; }
  // What was taken out of a strand for that.
  struct HandOut {
    NodeIndex strand = kNoNode;
    double ns = 0;
  };
  [[nodiscard]] const std::vector<HandOut>& hand_outs() const noexcept { return hand_outs_; }
  // All of it.
  [[nodiscard]] double handed_out_ns() const noexcept { return handed_out_ns_; }

  // A node of no worker, for `task`: what joins others has no length, what is waited for outside of OpenMP has one.
  NodeIndex add_node_of_no_worker(std::uint32_t task, std::int64_t begin_ns, std::int64_t end_ns);

  // Whether time counts from now on changes.
  void set_counting(bool counts, std::int64_t now_ns);

  // A probe, at the present instant, on `worker`. Below 0: one that was taken out at this instant was none.
  void take_out(std::uint32_t worker, double cost_ns);

  // The tool worked for so long until now: within the worker's strand or gap, whatever a damaged trace says.
  void take_out_until(std::uint32_t worker, double cost_ns, std::int64_t now_ns);

  // From now on the worker's strand, if it runs one, waits for a core or is blocked for so large a part of the time.
  void set_core_times(std::uint32_t worker, double waited, double blocked, std::int64_t now_ns);

  // From its next strand on the worker is beside the p workers, as a thread that submits tasks is: what it runs while
  // all of them are busy is nobody's time.
  void set_gives_way(std::uint32_t worker, bool gives_way) { gives_way_[worker] = gives_way; }

  [[nodiscard]] NodeIndex current(std::uint32_t worker) const noexcept { return state_[worker].strand; }
  // Since when the worker runs nothing; -1 while it does.
  [[nodiscard]] std::int64_t idle_since_ns(std::uint32_t worker) const noexcept { return state_[worker].idle_since_ns; }
  // From then, or where later from `since_ns`, until now, without probes.
  [[nodiscard]] std::int64_t gap_ns(std::uint32_t worker, std::int64_t since_ns, std::int64_t now_ns) const noexcept;
  // Length of the worker's open strand so far, without probes and what the runtime is charged; 0 where none is open.
  [[nodiscard]] double net_ns(std::uint32_t worker, std::int64_t now_ns) const noexcept;
  [[nodiscard]] double probe_ns() const noexcept { return probe_ns_; }
  // What was charged for the runtime, as far as the strands had it.
  [[nodiscard]] double runtime_ns() const noexcept { return runtime_ns_; }
  // What the worker's strands have waited for a core so far; of all workers.
  [[nodiscard]] double core_wait_ns(std::uint32_t worker) const noexcept { return core_wait_ns_[worker]; }
  [[nodiscard]] double core_wait_ns() const noexcept;

 private:
  struct State {
    NodeIndex strand = kNoNode;
    double taken_out_ns = 0;  // of the open strand
    Occupancy::Gap gap;       // taken out while there is none
    double gap_probe_ns = 0;  // of the probes meanwhile
    double debt_ns = 0;       // charged for the runtime, and not taken out yet
    double hand_out_debt_ns = 0;
    std::int64_t idle_since_ns = 0;
    // Parts of the open strand's time, since when, and what it was blocked.
    double waited = 0;
    double blocked = 0;
    std::int64_t core_times_since_ns = 0;
    double blocked_ns = 0;
    double surplus_ns = 0;            // that all workers together had when the strand was opened
    std::int64_t not_counted_ns = 0;  // Occupancy's, up to which it is taken out of the strand
    bool gives_way = false;
  };

  void take_out_not_counted(State& state) noexcept;
  void leave_out_surplus(State& state, double raw_ns);
  void give_back_excess(State& state, double raw_ns);
  void end_gap(State& state, std::int64_t now_ns);

  StrandTable& strands_;
  Occupancy& occupancy_;
  std::vector<State> state_;
  std::vector<double> core_wait_ns_;
  std::vector<bool> gives_way_;
  std::vector<HandOut> hand_outs_;
  double probe_ns_ = 0;
  double runtime_ns_ = 0;
  double gaps_ns_ = 0;
  double handed_out_ns_ = 0;
  double rounding_ns_ = 0;
};

}  // namespace foretask::graph
