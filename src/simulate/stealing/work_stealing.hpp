// SPDX-License-Identifier: Apache-2.0
// Work stealing: a deque a worker, its owner at the bottom, thieves at the top. For a recording the workers act as the
// threads of its runtime do, and may have one queue for all (docs/simulator.md, "Work stealing").
#pragma once

#include <span>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"
#include "simulate/cores/durations.hpp"
#include "simulate/cores/pending_counts.hpp"
#include "simulate/cores/replay.hpp"

namespace foretask::simulate {

// Replays under work stealing with the costs, the seed and the cores of `options`. Errors: costs that cannot be, a
// recording whose arrays do not fit together.
[[nodiscard]] Result<Replay> replay_work_stealing(const analysis::TaskGraph& graph,
                                                  const analysis::SimulationOptions& options,
                                                  const Durations& durations, PendingCounts& pending,
                                                  std::span<analysis::ScheduledNode> schedule);

}  // namespace foretask::simulate
