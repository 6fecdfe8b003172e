// SPDX-License-Identifier: Apache-2.0
#include "simulate/replayer.hpp"

#include "simulate/machine/machine_replay.hpp"
#include "simulate/prepared_replay.hpp"

namespace foretask::simulate {

Result<std::unique_ptr<Replayer>> make_replayer(const analysis::TaskGraph& graph,
                                                const analysis::SimulationOptions& options) {
  if (is_on_identical_cores(options)) return make_replayer(graph, options, graph.duration_ns);
  if (options.platform) return MachineReplay::of(graph, options);
  // Identical cores are a platform of one node, whose plain cores run() counts.
  analysis::SimulationOptions on_platform = options;
  on_platform.platform =
      std::make_shared<const analysis::Platform>(analysis::Platform{.nodes = {{}}, .any_node = true});
  return MachineReplay::of(graph, on_platform);
}

Result<std::unique_ptr<Replayer>> make_replayer(const analysis::TaskGraph& graph,
                                                const analysis::SimulationOptions& options,
                                                std::span<const std::int64_t> duration_ns) {
  return PreparedReplay::of(graph, options, duration_ns);
}

bool is_on_identical_cores(const analysis::SimulationOptions& options) noexcept {
  return !options.platform && options.policy != analysis::Policy::kHeft;
}

}  // namespace foretask::simulate
