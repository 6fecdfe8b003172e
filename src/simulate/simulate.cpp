// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/simulate.hpp"

#include <new>

#include "simulate/prepared_replay.hpp"

namespace foretask::analysis {
namespace {

Result<SimulationResult> simulate_once(const TaskGraph& graph, const SimulationOptions& options) {
  if (options.cores == 0) return Error{.what = "a replay needs at least one core"};
  auto prepared = simulate::PreparedReplay::of(graph, options);
  if (!prepared) return prepared.error();
  return prepared->run(options.cores, options.seed);
}

}  // namespace

Result<SimulationResult> simulate(const TaskGraph& graph, const SimulationOptions& options) {
  try {
    return simulate_once(graph, options);
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the replay"};
  }
}

}  // namespace foretask::analysis
