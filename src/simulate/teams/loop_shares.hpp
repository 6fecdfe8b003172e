// SPDX-License-Identifier: Apache-2.0
// A loop's iterations among threads, as the runtime deals them out.
#pragma once

#include <cstdint>
#include <span>

#include "foretask/analysis/team_work.hpp"
#include "simulate/teams/hand_out.hpp"
#include "simulate/teams/loop_cost.hpp"

namespace foretask::simulate {

inline constexpr double kMostDealtChunks = 1 << 14;

// Adds what each thread of the team spends in the loop to `busy_ns`, which says when each comes to it. `chunk` 0: the
// schedule's default. Static: blocks whose sizes differ by one at most, the larger first. Dynamic, guided: the thread
// that is free first takes the next chunk, of two the lower one, and each takes a `hand_out`. O(chunks log threads), of
// at most kMostDealtChunks: more are dealt out several at a time.
void deal_loop(const LoopCost& cost, analysis::LoopSchedule schedule, std::uint64_t chunk, const HandOut& hand_out,
               std::span<double> busy_ns);

}  // namespace foretask::simulate
