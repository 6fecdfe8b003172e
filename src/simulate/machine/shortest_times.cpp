// SPDX-License-Identifier: Apache-2.0
#include "simulate/machine/shortest_times.hpp"

#include <utility>

#include "simulate/machine/machine_layout.hpp"

namespace foretask::simulate {

Result<ShortestTimes> ShortestTimes::of(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options) {
  if (options.platform) {
    auto times = ClassTimes::of(graph, classes_of(*options.platform), options);
    if (!times) return times.error();
    return ShortestTimes(*std::move(times));
  }
  auto durations = durations_in_force(graph, options, graph.duration_ns);
  if (!durations) return durations.error();
  return ShortestTimes(*std::move(durations));
}

std::span<const std::int64_t> ShortestTimes::ns() const noexcept {
  if (const auto* durations = std::get_if<Durations>(&times_)) return durations->ns;
  return std::get_if<ClassTimes>(&times_)->fastest();
}

}  // namespace foretask::simulate
