// SPDX-License-Identifier: Apache-2.0
#include "simulate/replay_grid.hpp"

#include <algorithm>
#include <thread>

namespace foretask::simulate {

Result<void> check_grid(const analysis::SimulationOptions& options, const analysis::ReplayGrid& grid) {
  if (grid.scenarios.empty() || grid.cores.empty())
    return Error{.what = "replays need a scenario and a number of cores"};
  if (!options.platform && std::find(grid.cores.begin(), grid.cores.end(), 0U) != grid.cores.end())
    return Error{.what = "a replay needs at least one core"};
  return {};
}

std::size_t threads_of(const analysis::ReplayGrid& grid) noexcept {
  return grid.threads != 0 ? grid.threads : std::max(1U, std::thread::hardware_concurrency());
}

analysis::SimulationOptions with_scenario(analysis::SimulationOptions options, const analysis::Scenario& scenario) {
  options.speedups.insert(options.speedups.end(), scenario.speedups.begin(), scenario.speedups.end());
  options.removed.insert(options.removed.end(), scenario.removed.begin(), scenario.removed.end());
  options.loops.insert(options.loops.end(), scenario.loops.begin(), scenario.loops.end());
  return options;
}

}  // namespace foretask::simulate
