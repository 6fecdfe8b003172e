// SPDX-License-Identifier: Apache-2.0
// SimGrid replaying a task graph, one actor a worker: what replay_speed measures beside. Only simgrid_reference.cpp
// knows SimGrid; where that is missing, simgrid_missing.cpp takes its place.
#pragma once

#include <cstdint>
#include <optional>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::benchmarks {

enum class SimgridWork {
  kExecute,  // a task is flops on its worker's host: SimGrid's model of computation
  kSleep,    // a task is time that passes: the least that SimGrid can do for one
};

struct SimgridReplay {
  std::int64_t makespan_ns = 0;
  double seconds = 0;  // bottom levels and actors included, SimGrid's start and platform not
};

[[nodiscard]] bool has_simgrid() noexcept;

// Critical path first, for graphs numbered topologically without releases. In a process of its own, since SimGrid's
// engine is one a process. Nothing where SimGrid is missing or the process fails.
[[nodiscard]] std::optional<SimgridReplay> simgrid_replay(const analysis::TaskGraph& graph, std::uint32_t cores,
                                                          SimgridWork work);

}  // namespace foretask::benchmarks
