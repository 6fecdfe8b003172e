// SPDX-License-Identifier: Apache-2.0
// What several recordings say together of the iterations of one execution of a loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/teams/loop_cost.hpp"

namespace foretask::simulate {

// The iterations from which on a recording knows costs anew, ascending, within 0 < i < iterations: each that no piece
// lies on both sides of. Where pieces lie in each other for long, others as well, as far apart as the longest of these
// pieces reaches. O(pieces log pieces).
[[nodiscard]] std::vector<std::int64_t> cuts_of(const LoopExecution& execution);

// The pieces of `own`, split where the others know costs anew, by thread. A piece's parts weigh together what it did.
// Their weights are found by iterative proportional fitting: from what `own` says, scaled until each recording's
// costs between its own cuts are met, all recordings' totals made equal. A recording of which all are met within 5 %
// beforehand adds nothing. `own` comes last, so its pieces' costs are
// met to rounding. Stops after 20 sweeps, or when none changes a part by 0.1 %. All executions must have all pieces and
// as many iterations. A piece of no cost is not split. Cuts are left out where they would make more than some 65,000
// parts. O((pieces + parts) log pieces + sweeps * parts * recordings).
[[nodiscard]] std::vector<analysis::LoopPiece> pooled_pieces(const LoopExecution& own,
                                                             std::span<const LoopExecution> others);

}  // namespace foretask::simulate
