// SPDX-License-Identifier: Apache-2.0
// How a replay's loops are dealt out to threads, and what the runtime takes for it.
#pragma once

#include <cstdint>
#include <span>

#include "foretask/analysis/simulate.hpp"

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

}  // namespace foretask::simulate
