// SPDX-License-Identifier: Apache-2.0
// What a recording says that the iterations of one execution of a loop cost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/team_work.hpp"
#include "graph/team_shares.hpp"
#include "simulate/teams/loop_cost.hpp"

namespace foretask::simulate {

// One execution of a loop in a recording.
struct LoopExecution {
  const analysis::TeamWork& team;
  std::uint32_t loop = 0;                    // index into team.loops
  std::span<const graph::TeamShare> shares;  // of its threads; at least one
  std::uint32_t threads = 1;                 // of its team

  [[nodiscard]] const analysis::TeamLoop& recorded() const { return team.loops[loop]; }
  [[nodiscard]] std::span<const analysis::LoopPiece> pieces() const {
    return std::span(team.pieces).subspan(recorded().first_piece, recorded().end_piece - recorded().first_piece);
  }
};

// In ns. A thread's share goes to its pieces by their weights; without weights, to all iterations. A piece is even over
// first..last, others' iterations in between included; a static loop's pieces have slopes. O(pieces log pieces).
[[nodiscard]] LoopCost recorded_cost(const LoopExecution& execution);

// What each piece took, in ns: its part of its thread's share. One a piece, 0 where its thread's pieces have no weight.
// O(pieces + shares log pieces).
[[nodiscard]] std::vector<double> piece_costs(const LoopExecution& execution);

}  // namespace foretask::simulate
