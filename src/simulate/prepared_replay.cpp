// SPDX-License-Identifier: Apache-2.0
#include "simulate/prepared_replay.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "graph/task_graph_order.hpp"
#include "simulate/cores/bottom_levels.hpp"
#include "simulate/cores/level_ranks.hpp"
#include "simulate/cores/list_scheduler.hpp"
#include "simulate/cores/priority_queue.hpp"
#include "simulate/stealing/work_stealing.hpp"
#include "simulate/teams/hand_out.hpp"

namespace foretask::simulate {

using analysis::Policy;
using analysis::ScheduledNode;
using analysis::SimulationOptions;
using analysis::SimulationResult;
using analysis::TaskGraph;

namespace {

// What handing out chunks takes, where the options have a cost of it. It is no work.
void add_hand_outs(const TaskGraph& graph, const SimulationOptions& options, Durations& durations) {
  if (costs_of_chunks(options) == nullptr) return;
  std::int64_t added = 0;
  for (const analysis::TeamStrand& strand : graph.team.strands) {
    if (strand.hand_out_ns == 0) continue;
    if (durations.divided.empty()) {
      durations.divided.assign(durations.ns.begin(), durations.ns.end());
      durations.ns = durations.divided;
    }
    std::int64_t& ns = durations.divided[strand.node];
    ns += strand.hand_out_ns;
    durations.longest_ns = std::max(durations.longest_ns, ns);
    added += strand.hand_out_ns;
  }
  durations.latest_ns += added;
}

}  // namespace

Result<std::unique_ptr<Replayer>> PreparedReplay::of(const TaskGraph& graph, const SimulationOptions& options) {
  auto durations = durations_in_force(graph, options);
  if (!durations) return durations.error();
  add_hand_outs(graph, options, *durations);
  std::unique_ptr<PreparedReplay> prepared(new PreparedReplay(graph, options, std::move(durations).value()));
  if (options.policy == Policy::kCriticalPath) {
    if (!prepared->find_critical_paths()) return graph::cycle_error(graph);
  } else {
    prepared->predecessors_ = count_predecessors(graph);
  }
  return std::unique_ptr<Replayer>(std::move(prepared));
}

bool PreparedReplay::find_critical_paths() {
  auto levels = bottom_levels(graph_, durations_.ns, predecessors_);
  if (!levels) return false;
  critical_path_.emplace(rank_by_level(*std::move(levels)));
  if (CompactNodes::fits(graph_, durations_.longest_ns)) compact_.emplace(graph_, durations_.ns);
  return true;
}

template <typename Ready, typename Nodes>
Replay PreparedReplay::replay_list(Ready& ready, const Nodes& nodes, std::span<ScheduledNode> schedule) {
  // More workers than nodes are never used.
  const auto workers = static_cast<std::uint32_t>(std::clamp<std::size_t>(graph_.size(), 1, options_.cores));
  const auto run = [&]<typename Key>(Key) {
    return ListScheduler<Ready, Nodes, Key>(graph_, workers, nodes, pending_, ready, schedule).run();
  };
  if (FinishQueue<std::uint64_t>::fits(workers, durations_.latest_ns)) return run(std::uint64_t{});
  return run(Wide{});
}

Result<Replay> PreparedReplay::replay(std::span<ScheduledNode> schedule) {
  const std::size_t count = graph_.size();
  const GraphNodes nodes(graph_, durations_.ns);
  switch (options_.policy) {
    case Policy::kFifo: {
      FifoQueue ready(count);
      return replay_list(ready, nodes, schedule);
    }
    case Policy::kReadyFifo: {
      ReadyFifoQueue ready(count);
      return replay_list(ready, nodes, schedule);
    }
    case Policy::kLifo: {
      LifoQueue ready;
      return replay_list(ready, nodes, schedule);
    }
    case Policy::kCriticalPath:
      return compact_ ? replay_list(*critical_path_, *compact_, schedule)
                      : replay_list(*critical_path_, nodes, schedule);
    case Policy::kPriority: {
      PriorityQueue ready(graph_.priority, count);
      return replay_list(ready, nodes, schedule);
    }
    case Policy::kHeft:
      break;
    case Policy::kWorkStealing:
      return replay_work_stealing(graph_, options_, durations_, pending_, schedule);
  }
  return Error{.what = "no such policy for identical cores"};
}

Result<SimulationResult> PreparedReplay::run(std::uint32_t cores, std::uint64_t seed) {
  if (cores == 0) return Error{.what = "a replay needs at least one core"};
  options_.cores = cores;
  options_.seed = seed;
  pending_ = predecessors_.copy();

  SimulationResult result;
  result.work_ns = durations_.work_ns;
  if (options_.keep_schedule) result.schedule.resize(graph_.size());
  const Result<Replay> done = replay(result.schedule);
  if (!done) return done.error();
  if (done->finished != graph_.size()) return graph::cycle_error(graph_);

  was_random_ = done->is_random;
  result.makespan_ns = done->makespan_ns;
  if (done->makespan_ns > 0) {
    const auto makespan = static_cast<double>(done->makespan_ns);
    result.speedup = static_cast<double>(durations_.work_ns) / makespan;
    result.utilization = static_cast<double>(durations_.worker_work_ns) / (makespan * cores);
  }
  return result;
}

}  // namespace foretask::simulate
