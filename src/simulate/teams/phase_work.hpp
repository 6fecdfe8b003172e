// SPDX-License-Identifier: Apache-2.0
// What the threads of a team did in a phase: as much of it as each of another number of threads does outside of loops,
// and the costs of its loops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "graph/team_shares.hpp"
#include "simulate/teams/loop_cost.hpp"
#include "simulate/teams/loop_shares.hpp"

namespace foretask::simulate {

class PhaseWork {
 public:
  struct Loop {
    const analysis::TeamLoop* recorded = nullptr;
    LoopCost cost;
    HandOut hand_out;  // as much faster or slower than calibrated as the recorded ones were
  };

  // `duration_ns`: one a graph node. `costs`: null where nothing costs anything. The graph must stay. O(strands log
  // strands + pieces log pieces) of the phase.
  PhaseWork(const analysis::TaskGraph& graph, std::span<const std::int64_t> duration_ns,
            const analysis::TeamPhase& phase, std::uint32_t threads, const analysis::SchedulingCosts* costs);

  [[nodiscard]] std::uint32_t rest_kernel() const noexcept { return rest_kernel_; }
  // Of each thread, outside of loops. That comes first.
  [[nodiscard]] const std::vector<double>& rest_ns() const noexcept { return rest_ns_; }
  [[nodiscard]] const std::vector<Loop>& loops() const noexcept { return loops_; }  // in order of their starts

 private:
  using Recorded = std::span<const graph::TeamShare>;

  void add_rest(Recorded shares, const analysis::TeamPhase& phase);

  std::uint32_t rest_kernel_;
  std::vector<double> rest_ns_;
  std::vector<Loop> loops_;
};

// Adds the loop to `busy_ns`, which says when each thread comes to it, by its own schedule or that of `changes`.
void deal_loop(const PhaseWork::Loop& loop, std::span<const analysis::LoopChange> changes, std::span<double> busy_ns);

struct PhaseShare {
  std::uint32_t kernel = 0;
  std::int64_t duration_ns = 0;
};

// What each of `threads` threads of a team does in a phase: by thread, then in the order of its doing; at least one for
// each. `duration_ns`: one a graph node.
[[nodiscard]] std::vector<std::vector<PhaseShare>> phase_shares(const analysis::TaskGraph& graph,
                                                                std::span<const std::int64_t> duration_ns,
                                                                const analysis::TeamPhase& phase, std::uint32_t threads,
                                                                const LoopDealing& dealing);

}  // namespace foretask::simulate
