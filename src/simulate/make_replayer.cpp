// SPDX-License-Identifier: Apache-2.0
#include "simulate/make_replayer.hpp"

#include "simulate/divided_replay.hpp"
#include "simulate/machine/machine_replay.hpp"
#include "simulate/prepared_replay.hpp"

namespace foretask::simulate {

Result<std::unique_ptr<Replayer>> make_replayer(const analysis::TaskGraph& graph,
                                                const analysis::SimulationOptions& options) {
  if (options.platform) return MachineReplay::of(graph, options);
  // A schedule is of the graph's own nodes.
  const bool has_teams = !graph.team.phases.empty() && !options.keep_schedule;
  if (options.policy != analysis::Policy::kHeft)
    return has_teams ? DividedReplay::of(graph, options) : PreparedReplay::of(graph, options);
  // Identical cores are a platform of one node, whose plain cores run() counts.
  analysis::SimulationOptions on_platform = options;
  on_platform.platform =
      std::make_shared<const analysis::Platform>(analysis::Platform{.nodes = {{}}, .any_node = true});
  return MachineReplay::of(graph, on_platform);
}

}  // namespace foretask::simulate
