// SPDX-License-Identifier: Apache-2.0
#include "simulate/make_replayer.hpp"

#include "simulate/machine/machine_replay.hpp"
#include "simulate/prepared_replay.hpp"

namespace foretask::simulate {

Result<std::unique_ptr<Replayer>> make_replayer(const analysis::TaskGraph& graph,
                                                const analysis::SimulationOptions& options) {
  if (options.platform) return MachineReplay::of(graph, options);
  if (options.policy != analysis::Policy::kHeft) return PreparedReplay::of(graph, options);
  // Identical cores are a platform of one node, whose plain cores run() counts.
  analysis::SimulationOptions on_platform = options;
  on_platform.platform =
      std::make_shared<const analysis::Platform>(analysis::Platform{.nodes = {{}}, .any_node = true});
  return MachineReplay::of(graph, on_platform);
}

}  // namespace foretask::simulate
