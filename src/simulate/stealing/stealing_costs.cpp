// SPDX-License-Identifier: Apache-2.0
#include "simulate/stealing/stealing_costs.hpp"

#include <algorithm>
#include <limits>

#include "base/wide.hpp"

namespace foretask::simulate {

using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::SchedulingCosts;
using analysis::TaskGraph;
using base::Wide;

namespace {

// Every instant is at most the latest release, plus all durations, plus all costs.
bool fits(const SchedulingCosts& costs, const TaskGraph& graph, std::int64_t work_ns) {
  Wide latest_ns = static_cast<Wide>(work_ns);
  latest_ns += static_cast<Wide>(std::max(costs.dispatch_ns, costs.steal_ns)) * graph.size();
  latest_ns += static_cast<Wide>(costs.create_ns) * graph.edge_count();
  latest_ns += static_cast<Wide>(costs.thread_ns) * std::numeric_limits<std::uint32_t>::max();
  if (!graph.release_ns.empty()) latest_ns += *std::max_element(graph.release_ns.begin(), graph.release_ns.end());
  return latest_ns <= std::numeric_limits<std::int64_t>::max();
}

}  // namespace

Result<StealingCosts> StealingCosts::of(const TaskGraph& graph, const analysis::SimulationOptions& options,
                                        std::int64_t work_ns) {
  const SchedulingCosts& costs = options.costs;
  if (costs.create_ns < 0 || costs.dispatch_ns < 0 || costs.steal_ns < 0 || costs.thread_ns < 0)
    return Error{"a scheduling cost is negative"};
  if (!fits(costs, graph, work_ns)) return Error{"the scheduling costs are too large"};
  return StealingCosts(graph, options);
}

StealingCosts::StealingCosts(const TaskGraph& graph, const analysis::SimulationOptions& options)
    : costs_(options.costs), team_start_(graph.team_start) {
  // What fewer threads would save is in the recorded strands, and stays there: less than the work itself is no time.
  const std::int64_t more = std::int64_t{options.cores} - std::int64_t{costs_.recorded_workers};
  team_start_ns_ = std::max<std::int64_t>(more, 0) * costs_.thread_ns;
  if (!graph.task_of_node.empty() && costs_.create_ns != 0) count_creations(graph);
}

// An implicit task is the runtime's to make: it costs the strand nothing.
void StealingCosts::count_creations(const TaskGraph& graph) {
  constexpr std::uint8_t kMost = 255;  // a strand ends at its first creation: one is what recordings have
  creates_ = PageArray<std::uint8_t>(graph.size());
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
      if (graph.edge_kind[e] != analysis::EdgeKind::kCreate) continue;
      const std::uint32_t child = graph.task_of_node[graph.successors[e]];
      if (graph.parent_of_task[child] != kNoNode && creates_[node] < kMost) ++creates_[node];
    }
  }
}

}  // namespace foretask::simulate
