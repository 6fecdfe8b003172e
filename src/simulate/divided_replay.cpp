// SPDX-License-Identifier: Apache-2.0
#include "simulate/divided_replay.hpp"

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "simulate/prepared_replay.hpp"
#include "simulate/replay_memory.hpp"
#include "simulate/teams/divided_graph.hpp"
#include "simulate/teams/divided_tasks.hpp"

namespace foretask::simulate {
namespace {

std::optional<analysis::TaskGraph> divided(const analysis::TaskGraph& graph, std::span<const std::int64_t> duration_ns,
                                           std::uint32_t cores, const LoopDealing& dealing) {
  const std::vector<bool> divides = phases_to_divide(graph.team, cores, dealing.changes);
  if (divides.empty()) return std::nullopt;
  if (graph.task_of_node.empty()) return divide_tasks(graph, duration_ns, cores, dealing, divides);
  return divide_teams(graph, duration_ns, cores, dealing, divides);
}

}  // namespace

Result<std::unique_ptr<Replayer>> DividedReplay::of(const analysis::TaskGraph& graph,
                                                    const analysis::SimulationOptions& options) {
  auto durations = durations_in_force(graph, options);
  if (!durations) return durations.error();
  return std::unique_ptr<Replayer>(new DividedReplay(graph, options, std::move(durations).value()));
}

Result<analysis::SimulationResult> DividedReplay::run(std::uint32_t cores, std::uint64_t seed) {
  if (cores == 0) return Error{.what = "a replay needs at least one core"};
  if (cores != cores_ || !replay_) {
    replay_.reset();
    divided_.reset();
    divided_ = divided(graph_, durations_.ns, cores, {options_.loops, costs_of_chunks(options_)});
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
  if (result->makespan_ns > 0) {
    const auto makespan = static_cast<double>(result->makespan_ns);
    result->speedup = static_cast<double>(result->work_ns) / makespan;
    result->utilization = static_cast<double>(durations_.worker_work_ns) / (makespan * cores);
  }
  return result;
}

}  // namespace foretask::simulate

namespace foretask::analysis {

Result<std::optional<TaskGraph>> graph_on_cores(const TaskGraph& graph, std::uint32_t cores,
                                                const std::vector<LoopChange>& loops, const SchedulingCosts* costs) {
  try {
    if (auto enough = simulate::check_room_to_divide(graph, cores, loops); !enough) return enough.error();
    return simulate::divided(graph, graph.duration_ns, cores, {loops, costs});
  } catch (const std::bad_alloc&) {
    return Error{"not enough memory for the program's teams on " + std::to_string(cores) + " cores"};
  }
}

}  // namespace foretask::analysis
