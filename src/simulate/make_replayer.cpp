// SPDX-License-Identifier: Apache-2.0
#include "simulate/make_replayer.hpp"

#include "simulate/divided_replay.hpp"
#include "simulate/locked_replay.hpp"
#include "simulate/machine/machine_replay.hpp"
#include "simulate/prepared_replay.hpp"

namespace foretask::simulate {

bool divides_loops(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options) noexcept {
  return !graph.team.phases.empty() && !options.keep_schedule && !options.platform &&
         options.policy != analysis::Policy::kHeft;
}

namespace {

Result<std::unique_ptr<Replayer>> replayer_without_locks(const analysis::TaskGraph& graph,
                                                         const analysis::SimulationOptions& options) {
  if (divides_loops(graph, options)) return DividedReplay::of(graph, options);
  if (!options.loops.empty())
    return Error{"loops change their schedules only in replays that divide them (analysis::graph_on_cores())"};
  if (options.platform) return MachineReplay::of(graph, options);
  if (options.policy != analysis::Policy::kHeft) return PreparedReplay::of(graph, options);
  // Identical cores are a platform of one node, whose plain cores run() counts.
  analysis::SimulationOptions on_platform = options;
  on_platform.platform =
      std::make_shared<const analysis::Platform>(analysis::Platform{.nodes = {{}}, .any_node = true});
  return MachineReplay::of(graph, on_platform);
}

}  // namespace

Result<std::unique_ptr<Replayer>> make_replayer(const analysis::TaskGraph& graph,
                                                const analysis::SimulationOptions& options) {
  auto replay = replayer_without_locks(graph, options);
  // The nodes of a schedule end when they end.
  if (!replay || graph.locks.empty() || options.keep_schedule) return replay;
  return std::unique_ptr<Replayer>(std::make_unique<LockedReplay>(graph, options, *std::move(replay)));
}

}  // namespace foretask::simulate
