// SPDX-License-Identifier: Apache-2.0
#include "simulate/divided_replay.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/available_memory.hpp"
#include "simulate/prepared_replay.hpp"
#include "simulate/teams/divided_graph.hpp"

namespace foretask::simulate {
namespace {

// Of a node of a divided graph, with its edges, while that is made and replayed; two nodes a thread and phase.
constexpr std::uint64_t kNodeBytes = 160;
constexpr std::uint64_t kNodesOfShare = 2;
// Less is not worth asking the system for.
constexpr std::uint64_t kUnseenBytes = std::uint64_t{64} << 20;

// Each thread that replays has a graph of its own.
Result<void> check_memory(std::uint64_t phases, std::uint32_t cores) {
  const std::uint64_t replays = std::max(1U, std::thread::hardware_concurrency());
  const double bytes = static_cast<double>(phases * kNodesOfShare * kNodeBytes * replays) * cores;
  if (bytes <= kUnseenBytes) return {};
  const auto available = static_cast<double>(base::available_memory_bytes());
  if (bytes <= available) return {};
  return Error{"the program's " + std::to_string(phases) + " parallel phases on " + std::to_string(cores) +
               " cores need about " + base::gigabytes(bytes) + " of memory, but only " + base::gigabytes(available) +
               " is available"};
}

Result<std::optional<analysis::TaskGraph>> divided(const analysis::TaskGraph& graph,
                                                   std::span<const std::int64_t> duration_ns, std::uint32_t cores,
                                                   std::span<const analysis::LoopChange> loops) {
  const std::vector<bool> divides = phases_to_divide(graph.team, cores, loops);
  if (divides.empty()) return std::optional<analysis::TaskGraph>();
  const auto phases = static_cast<std::uint64_t>(std::count(divides.begin(), divides.end(), true));
  if (auto enough = check_memory(phases, cores); !enough) return enough.error();
  return std::optional<analysis::TaskGraph>(divide_teams(graph, duration_ns, cores, loops, divides));
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
    auto graph = divided(graph_, durations_.ns, cores, options_.loops);
    if (!graph) return graph.error();
    divided_ = *std::move(graph);
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

Result<std::optional<TaskGraph>> graph_on_cores(const TaskGraph& graph, std::uint32_t cores,
                                                const std::vector<LoopChange>& loops) {
  try {
    return simulate::divided(graph, graph.duration_ns, cores, loops);
  } catch (const std::bad_alloc&) {
    return Error{"not enough memory for the program's teams on " + std::to_string(cores) + " cores"};
  }
}

}  // namespace foretask::analysis
