// SPDX-License-Identifier: Apache-2.0
#include "simulate/make_replayer.hpp"

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulate/cores/durations.hpp"
#include "simulate/machine/machine.hpp"
#include "simulate/replay_grid.hpp"
#include "simulate/teams/divided_graph.hpp"
#include "simulate/teams/loop_shares.hpp"

namespace foretask::simulate {
namespace {

// Replays of a recording with teams: on each number of cores the graph that so many threads would have made.
class DividedReplay final : public Replayer {
 public:
  // For identical cores.
  DividedReplay(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options, Durations durations)
      : graph_(graph), options_(options), durations_(std::move(durations)) {}

  // Errors: prepared_replay()'s, and its replays'. Throws std::bad_alloc: whether there is room is to be asked before
  // (replay_grid.hpp).
  [[nodiscard]] Result<analysis::SimulationResult> run(std::uint32_t cores, std::uint64_t seed) override {
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
      auto replay = prepared_replay(divided_ ? *divided_ : graph_, options);
      if (!replay) return replay.error();
      replay_ = *std::move(replay);
      cores_ = cores;
    }
    auto result = replay_->run(cores, seed);
    if (!result || !divided_) return result;
    // Of the durations in force, whoever has them.
    result->work_ns = durations_.work_ns;
    rate(*result, durations_.worker_work_ns, cores);
    return result;
  }

 private:
  const analysis::TaskGraph& graph_;
  analysis::SimulationOptions options_;
  Durations durations_;
  // Of the last run.
  std::uint32_t cores_ = 0;
  std::optional<analysis::TaskGraph> divided_;
  std::unique_ptr<Replayer> replay_;
};

// Replays of a graph with locks. Waits for locks are not replayed: each replay takes at least as long as the lock that
// is held longest.
class LockedReplay final : public Replayer {
 public:
  // Keeps `graph`.
  LockedReplay(const analysis::TaskGraph& graph, analysis::SimulationOptions options, std::unique_ptr<Replayer> replay)
      : graph_(graph), options_(std::move(options)), replay_(std::move(replay)) {}

  [[nodiscard]] Result<analysis::SimulationResult> run(std::uint32_t cores, std::uint64_t seed) override {
    auto result = replay_->run(cores, seed);
    if (!result) return result;
    const std::int64_t least_ns = analysis::lock_bound_ns(graph_, options_, cores);
    if (result->makespan_ns <= 0 || least_ns <= result->makespan_ns) return result;
    const double factor = static_cast<double>(result->makespan_ns) / static_cast<double>(least_ns);
    result->makespan_ns = least_ns;
    result->speedup *= factor;
    result->utilization *= factor;
    return result;
  }

 private:
  const analysis::TaskGraph& graph_;
  const analysis::SimulationOptions options_;
  const std::unique_ptr<Replayer> replay_;
};

Result<std::unique_ptr<Replayer>> replayer_without_locks(const analysis::TaskGraph& graph,
                                                         const analysis::SimulationOptions& options) {
  if (divides_loops(graph, options)) {
    auto durations = durations_in_force(graph, options);
    if (!durations) return durations.error();
    return std::unique_ptr<Replayer>(std::make_unique<DividedReplay>(graph, options, *std::move(durations)));
  }
  if (!options.loops.empty())
    return Error{"loops change their schedules only in replays that divide them (analysis::graph_on_cores())"};
  if (options.platform) return machine_replay(graph, options);
  if (options.policy != analysis::Policy::kHeft) return prepared_replay(graph, options);
  // Identical cores are a platform of one node, whose plain cores run() counts.
  analysis::SimulationOptions on_platform = options;
  on_platform.platform =
      std::make_shared<const analysis::Platform>(analysis::Platform{.nodes = {{}}, .any_node = true});
  return machine_replay(graph, on_platform);
}

}  // namespace

bool divides_loops(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options) noexcept {
  return !graph.team.phases.empty() && !options.keep_schedule && !options.platform &&
         options.policy != analysis::Policy::kHeft;
}

Result<std::unique_ptr<Replayer>> make_replayer(const analysis::TaskGraph& graph,
                                                const analysis::SimulationOptions& options) {
  auto replay = replayer_without_locks(graph, options);
  // The nodes of a schedule end when they end.
  if (!replay || graph.locks.empty() || options.keep_schedule) return replay;
  return std::unique_ptr<Replayer>(std::make_unique<LockedReplay>(graph, options, *std::move(replay)));
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
