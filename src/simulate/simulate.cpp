// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/simulate.hpp"

#include <new>

#include "graph/task_graph_order.hpp"
#include "simulate/cores/bottom_levels.hpp"
#include "simulate/machine/shortest_times.hpp"
#include "simulate/replay_memory.hpp"
#include "simulate/replayer.hpp"

namespace foretask::analysis {
namespace {

Result<SimulationResult> simulate_once(const TaskGraph& graph, const SimulationOptions& options) {
  if (options.cores == 0 && !options.platform) return Error{.what = "a replay needs at least one core"};
  if (auto room = simulate::replays_with_room(graph, options, 1); !room) return room.error();
  auto replayer = simulate::make_replayer(graph, options);
  if (!replayer) return replayer.error();
  return (*replayer)->run(options.cores, options.seed);
}

Result<std::int64_t> longest_path(const TaskGraph& graph, const SimulationOptions& options) {
  const auto times = simulate::ShortestTimes::of(graph, options);
  if (!times) return times.error();
  simulate::PendingCounts pending(graph.size());
  const auto levels = simulate::bottom_levels(graph, times->ns(), pending);
  if (!levels) return graph::cycle_error(graph);
  return static_cast<std::int64_t>(levels->highest_ns);
}

}  // namespace

Result<SimulationResult> simulate(const TaskGraph& graph, const SimulationOptions& options) {
  try {
    return simulate_once(graph, options);
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the replay"};
  }
}

Result<std::int64_t> span_in_force(const TaskGraph& graph, const SimulationOptions& options) {
  try {
    return longest_path(graph, options);
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the longest path"};
  }
}

}  // namespace foretask::analysis
