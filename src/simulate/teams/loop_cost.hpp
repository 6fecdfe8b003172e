// SPDX-License-Identifier: Apache-2.0
// What the iterations of one execution of a loop cost: piecewise even over their numbers, as a recording's chunks say.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/team_work.hpp"
#include "graph/team_shares.hpp"

namespace foretask::simulate {

// What iterations begin <= i < end cost together.
struct CostBlock {
  double begin = 0;
  double end = 0;
  double cost = 0;
};

class LoopCost {
 public:
  // Of iterations 0 to iterations - 1.
  explicit LoopCost(double iterations) : iterations_(iterations) {}

  // `cost` spread evenly over begin <= i < end, cut at the loop's ends.
  void add(double begin, double end, double cost);
  // Blocks of some length that do not overlap, in any order: within each, the cost of an iteration rises or falls as
  // from its left neighbours to its right ones, so that costs which grow evenly over the loop are found from two
  // blocks. Neighbours shorter than half a block count together: one alone says little of its slope.
  void add_blocks(std::vector<CostBlock> blocks);
  // After the last add(), before the first before().
  void finish();

  // What the iterations below `iteration` cost together, in the unit of add(). O(log pieces).
  [[nodiscard]] double before(double iteration) const noexcept;
  [[nodiscard]] double iterations() const noexcept { return iterations_; }

 private:
  struct Step {
    double at = 0;       // from this iteration on
    double density = 0;  // changes by; after finish(), is
    double before = 0;   // after finish(): the cost of all below `at`
  };

  double iterations_;
  std::vector<Step> steps_;
};

// One execution of a loop in a recording.
struct LoopExecution {
  const analysis::TeamWork& team;
  std::uint32_t loop = 0;                    // index into team.loops
  std::span<const graph::TeamShare> shares;  // of its threads; at least one
  std::uint32_t threads = 1;                 // of its team

  [[nodiscard]] const analysis::TeamLoop& recorded() const { return team.loops[loop]; }
  [[nodiscard]] std::span<const analysis::LoopPiece> pieces() const { return graph::pieces_of(team, recorded()); }
};

// In ns. A thread's share goes to its pieces by their weights; without weights, to all iterations. A piece is even over
// first..last, others' iterations in between included; a static loop's pieces have slopes. O(pieces log pieces).
[[nodiscard]] LoopCost recorded_cost(const LoopExecution& execution);

// What each piece took, in ns: its part of its thread's share. One a piece, 0 where its thread's pieces have no weight.
// O(pieces + shares log pieces).
[[nodiscard]] std::vector<double> piece_costs(const LoopExecution& execution);

}  // namespace foretask::simulate
