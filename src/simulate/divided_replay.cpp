// SPDX-License-Identifier: Apache-2.0
#include "simulate/divided_replay.hpp"

#include <new>
#include <string>
#include <utility>

#include "simulate/prepared_replay.hpp"
#include "simulate/teams/divided_graph.hpp"

namespace foretask::simulate {

Result<std::unique_ptr<Replayer>> DividedReplay::of(const analysis::TaskGraph& graph,
                                                    const analysis::SimulationOptions& options) {
  auto durations = durations_in_force(graph, options);
  if (!durations) return durations.error();
  return std::unique_ptr<Replayer>(new DividedReplay(graph, options, std::move(durations).value()));
}

Result<analysis::SimulationResult> DividedReplay::run(std::uint32_t cores, std::uint64_t seed) {
  if (cores != cores_ || !replay_) {
    replay_.reset();
    auto divided = divide_teams(graph_, durations_.ns, cores);
    if (!divided) return divided.error();
    divided_ = *std::move(divided);
    analysis::SimulationOptions options = options_;
    if (divided_) {
      // Its durations have them already.
      options.speedups.clear();
      options.removed.clear();
    }
    auto replay = PreparedReplay::of(divided_ ? *divided_ : graph_, options);
    if (!replay) return replay.error();
    replay_ = *std::move(replay);
    cores_ = cores;
  }
  auto result = replay_->run(cores, seed);
  if (!result || !divided_) return result;
  // Of the durations in force, whoever has them.
  result->work_ns = durations_.work_ns;
  if (result->makespan_ns > 0)
    result->speedup = static_cast<double>(result->work_ns) / static_cast<double>(result->makespan_ns);
  return result;
}

}  // namespace foretask::simulate

namespace foretask::analysis {

Result<std::optional<TaskGraph>> graph_on_cores(const TaskGraph& graph, std::uint32_t cores) {
  try {
    return simulate::divide_teams(graph, graph.duration_ns, cores);
  } catch (const std::bad_alloc&) {
    return Error{"not enough memory for the program's teams on " + std::to_string(cores) + " cores"};
  }
}

}  // namespace foretask::analysis
