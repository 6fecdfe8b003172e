// SPDX-License-Identifier: Apache-2.0
#include "simulate/stealing/work_stealing.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "simulate/stealing/work_stealing_decisions.hpp"
#include "simulate/stealing/work_stealing_events.hpp"

namespace foretask::simulate {

using analysis::SchedulingCosts;
using analysis::TaskGraph;

namespace {

// What keeps the costs from being used, or an empty string.
std::string problem_with(const SchedulingCosts& costs, const TaskGraph& graph, std::int64_t work_ns) {
  if (costs.create_ns < 0 || costs.dispatch_ns < 0 || costs.steal_ns < 0 || costs.thread_ns < 0)
    return "a scheduling cost is negative";
  // Every instant is at most the latest release, plus all durations, plus all costs.
  Wide latest_ns = static_cast<Wide>(work_ns);
  latest_ns += static_cast<Wide>(std::max(costs.dispatch_ns, costs.steal_ns)) * graph.size();
  latest_ns += static_cast<Wide>(costs.create_ns) * graph.edge_count();
  latest_ns += static_cast<Wide>(costs.thread_ns) * std::numeric_limits<std::uint32_t>::max();
  if (!graph.release_ns.empty()) latest_ns += *std::max_element(graph.release_ns.begin(), graph.release_ns.end());
  if (latest_ns > std::numeric_limits<std::int64_t>::max()) return "the scheduling costs are too large";
  return {};
}

std::string problem_with_strands(const TaskGraph& graph) {
  const std::size_t tasks = graph.parent_of_task.size();
  if (graph.task_of_node.size() != graph.size() || graph.edge_kind.size() != graph.edge_count() ||
      (!graph.task_is_untied.empty() && graph.task_is_untied.size() != tasks)) {
    return "the recording's strands, edges and tasks do not fit together";
  }
  for (const std::uint32_t task : graph.task_of_node) {
    if (task >= tasks) return "a strand belongs to a task that the recording does not have";
  }
  return {};
}

}  // namespace

Result<Replay> replay_work_stealing(const TaskGraph& graph, const analysis::SimulationOptions& options,
                                    const Durations& durations, PendingCounts& pending,
                                    std::span<analysis::ScheduledNode> schedule) {
  if (auto problem = problem_with(options.costs, graph, durations.work_ns); !problem.empty()) return Error{problem};
  if (graph.task_of_node.empty()) {
    return WorkStealing<false>(graph, options, durations.ns, pending, nullptr, schedule).run();
  }
  if (auto problem = problem_with_strands(graph); !problem.empty()) return Error{problem};
  const auto tree = TaskTree::of(graph.parent_of_task);
  if (!tree) return Error{"a task of the recording is older than its parent"};
  return WorkStealing<true>(graph, options, durations.ns, pending, &*tree, schedule).run();
}

}  // namespace foretask::simulate
