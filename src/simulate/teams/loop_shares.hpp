// SPDX-License-Identifier: Apache-2.0
// A loop's iterations among threads, as the runtime deals them out, and what it takes for it.
#pragma once

#include <cstdint>
#include <span>

#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/team_work.hpp"
#include "simulate/teams/loop_cost.hpp"

namespace foretask::simulate {

// The runtime hands a chunk to a thread.
struct HandOut {
  double ns = 0;              // of the thread
  double held_ns = 0;         // of it: other threads wait for theirs meanwhile
  bool guided_halves = true;  // analysis::TeamWork::guided_halves
};

// Those of the options that a replay charges for chunks: work stealing's, where they are known. Null: nothing costs
// anything.
[[nodiscard]] const analysis::SchedulingCosts* costs_of_chunks(const analysis::SimulationOptions& options) noexcept;

// In a team of so many threads, as calibrated. A thread that is alone is given a loop at once. The calibration's
// threads all ask at once: each of p waits for the p - 1 others, so that one is served for a p-th of what it takes.
// More threads than were calibrated are served no faster.
[[nodiscard]] HandOut hand_out(const analysis::SchedulingCosts& costs, std::uint32_t threads);

// Of a replay. Refers to what it was made of.
struct LoopDealing {
  std::span<const analysis::LoopChange> changes;     // loops under other schedules than their own
  const analysis::SchedulingCosts* costs = nullptr;  // null: nothing costs anything
};

inline constexpr double kMostDealtChunks = 1 << 14;

// Adds what each thread of the team spends in the loop to `busy_ns`, which says when each comes to it. `chunk` 0: the
// schedule's default. Static: blocks whose sizes differ by one at most, the larger first. Dynamic, guided: the thread
// that is free first takes the next chunk, of two the lower one, and each takes a `hand_out`. O(chunks log threads), of
// at most kMostDealtChunks: more are dealt out several at a time.
void deal_loop(const LoopCost& cost, analysis::LoopSchedule schedule, std::uint64_t chunk, const HandOut& hand_out,
               std::span<double> busy_ns);

}  // namespace foretask::simulate
