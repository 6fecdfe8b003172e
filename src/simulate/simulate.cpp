// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/simulate.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "graph/task_graph_order.hpp"
#include "simulate/bottom_levels.hpp"
#include "simulate/durations.hpp"
#include "simulate/level_ranks.hpp"
#include "simulate/list_scheduler.hpp"
#include "simulate/node_table.hpp"
#include "simulate/pending_counts.hpp"
#include "simulate/priority_queue.hpp"
#include "simulate/ready_queues.hpp"
#include "simulate/work_stealing.hpp"

namespace foretask::analysis {
namespace {

using simulate::Durations;
using simulate::PendingCounts;
using simulate::Replay;
using simulate::Wide;

// One call's graph, options and place for its schedule.
struct Request {
  const TaskGraph& graph;
  const SimulationOptions& options;
  const Durations& durations;
  std::vector<ScheduledNode>& schedule;

  // More workers than nodes are never used.
  [[nodiscard]] std::uint32_t workers() const noexcept {
    return static_cast<std::uint32_t>(std::clamp<std::size_t>(graph.size(), 1, options.cores));
  }
};

template <typename Ready, typename Nodes>
Replay replay_with(const Request& request, PendingCounts& pending, Ready ready, const Nodes& nodes) {
  const auto run = [&]<typename Key>(Key) {
    return simulate::ListScheduler<Ready, Nodes, Key>(request.graph, request.workers(), nodes, pending, ready,
                                                      request.schedule)
        .run();
  };
  if (simulate::FinishQueue<std::uint64_t>::fits(request.workers(), request.durations.latest_ns)) {
    return run(std::uint64_t{});
  }
  return run(Wide{});
}

template <typename Ready>
Replay replay_counted(const Request& request, Ready ready) {
  PendingCounts pending = simulate::count_predecessors(request.graph);
  return replay_with(request, pending, std::move(ready), simulate::GraphNodes(request.graph, request.durations.ns));
}

// Nothing finished where there is a cycle.
Replay replay_critical_path(const Request& request) {
  PendingCounts pending(request.graph.size());
  auto levels = simulate::bottom_levels(request.graph, request.durations.ns, pending);
  if (!levels) return {};
  simulate::CriticalPathQueue ready(simulate::rank_by_level(*std::move(levels)));
  if (simulate::CompactNodes::fits(request.graph, request.durations.longest_ns)) {
    return replay_with(request, pending, std::move(ready), simulate::CompactNodes(request.graph, request.durations.ns));
  }
  return replay_with(request, pending, std::move(ready), simulate::GraphNodes(request.graph, request.durations.ns));
}

Result<Replay> replay_stealing(const Request& request) {
  PendingCounts pending = simulate::count_predecessors(request.graph);
  return simulate::replay_work_stealing(request.graph, request.options, request.durations, pending, request.schedule);
}

Result<Replay> replay(const Request& request) {
  const std::size_t count = request.graph.size();
  switch (request.options.policy) {
    case Policy::kFifo:
      return replay_counted(request, simulate::FifoQueue(count));
    case Policy::kReadyFifo:
      return replay_counted(request, simulate::ReadyFifoQueue(count));
    case Policy::kLifo:
      return replay_counted(request, simulate::LifoQueue());
    case Policy::kCriticalPath:
      return replay_critical_path(request);
    case Policy::kPriority:
      return replay_counted(request, simulate::PriorityQueue(request.graph.priority, count));
    case Policy::kWorkStealing:
      return replay_stealing(request);
  }
  return Error{.what = "no such policy"};
}

// Names a task of the cycle as the graph's file does.
Error cycle_error(const TaskGraph& graph) {
  const NodeIndex node = graph::node_on_cycle(graph);
  const std::int64_t id = graph.id.empty() ? std::int64_t{node} : graph.id[node];
  return Error{.what = "task " + std::to_string(id) + " is on a cycle: it comes after itself"};
}

Result<SimulationResult> simulate_checked(const TaskGraph& graph, const SimulationOptions& options) {
  if (options.cores == 0) return Error{.what = "a replay needs at least one core"};
  const auto durations = simulate::durations_in_force(graph, options);
  if (!durations) return durations.error();

  SimulationResult result;
  result.work_ns = durations->work_ns;
  if (options.keep_schedule) result.schedule.resize(graph.size());
  const Result<Replay> done = replay({graph, options, *durations, result.schedule});
  if (!done) return done.error();
  if (done->finished != graph.size()) return cycle_error(graph);

  result.makespan_ns = done->makespan_ns;
  if (done->makespan_ns > 0) {
    const auto makespan = static_cast<double>(done->makespan_ns);
    result.speedup = static_cast<double>(durations->work_ns) / makespan;
    result.utilization = static_cast<double>(durations->worker_work_ns) / (makespan * options.cores);
  }
  return result;
}

}  // namespace

Result<SimulationResult> simulate(const TaskGraph& graph, const SimulationOptions& options) {
  try {
    return simulate_checked(graph, options);
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the replay"};
  }
}

}  // namespace foretask::analysis
