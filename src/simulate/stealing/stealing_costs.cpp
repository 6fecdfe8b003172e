// SPDX-License-Identifier: Apache-2.0
#include "simulate/stealing/stealing_costs.hpp"

#include <algorithm>
#include <limits>

#include "base/wide.hpp"

namespace foretask::simulate {

using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;
using analysis::TeamCosts;
using base::Wide;

namespace {

// Every instant is at most the latest release, plus all durations, plus all costs.
bool fits(const TeamCosts& costs, std::int64_t team_start_ns, const TaskGraph& graph, std::int64_t work_ns) {
  Wide latest_ns = static_cast<Wide>(work_ns) + team_start_ns;
  for (const analysis::TeamCostField& field : analysis::kTeamCostFields)
    latest_ns += static_cast<Wide>(costs.*field.ns) * graph.size();
  if (!graph.release_ns.empty()) latest_ns += *std::max_element(graph.release_ns.begin(), graph.release_ns.end());
  return latest_ns <= std::numeric_limits<std::int64_t>::max();
}

bool is_any(const TeamCosts& costs, bool (*test)(std::int64_t ns)) {
  return std::any_of(analysis::kTeamCostFields.begin(), analysis::kTeamCostFields.end(),
                     [&](const analysis::TeamCostField& field) { return test(costs.*field.ns); });
}

}  // namespace

Result<StealingCosts> StealingCosts::of(const TaskGraph& graph, const analysis::SimulationOptions& options,
                                        std::int64_t work_ns) {
  StealingCosts costs(graph, options);
  if (is_any(costs.costs_, [](std::int64_t ns) { return ns < 0; }) || options.costs.thread_ns < 0 ||
      options.costs.team_start_ns < 0)
    return Error{"a scheduling cost is negative"};
  if (!fits(costs.costs_, costs.team_start_ns_, graph, work_ns)) return Error{"the scheduling costs are too large"};
  const bool is_recording = !graph.task_of_node.empty();
  if (is_recording && is_any(costs.costs_, [](std::int64_t ns) { return ns != 0; })) costs.mark_strands(graph);
  return costs;
}

StealingCosts::StealingCosts(const TaskGraph& graph, const analysis::SimulationOptions& options)
    : costs_(analysis::team_costs(options.costs.teams, std::max(1U, options.cores))),
      deque_capacity_(options.costs.deque_capacity),
      team_start_(graph.team_start) {
  if (options.cores < 2) return;
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  const Wide more = static_cast<Wide>(options.cores) - options.costs.recorded_workers;
  const Wide start_ns = options.costs.team_start_ns + more * options.costs.thread_ns;
  team_start_ns_ = static_cast<std::int64_t>(std::clamp<Wide>(start_ns, 0, kMost));
}

void StealingCosts::mark_strands(const TaskGraph& graph) {
  marks_ = PageArray<std::uint8_t>(graph.size());
  const auto is_explicit = [&graph](NodeIndex node) {
    return graph.parent_of_task[graph.task_of_node[node]] != kNoNode;
  };
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    NodeIndex continuation = kNoNode;
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
      const NodeIndex next = graph.successors[e];
      if (graph.edge_kind[e] == EdgeKind::kContinuation) {
        continuation = next;
      } else if (graph.edge_kind[e] == EdgeKind::kCreate) {
        marks_[next] |= is_explicit(next) ? kTaskBegin : kTeamBegin;
        if (is_explicit(next)) marks_[node] |= kCreates;
      } else if (graph.edge_kind[e] == EdgeKind::kJoin && !is_explicit(node)) {
        marks_[next] |= kJoinsTeam;
      }
    }
    if (continuation == kNoNode) {
      if (is_explicit(node) && graph.occupies_worker(node)) marks_[node] |= kTaskEnd;
    } else if ((marks_[node] & kCreates) == 0) {
      marks_[continuation] |= kBehindWait;
    }
  }
  // A strand before a barrier waits at no taskwait. What joins the team comes later in the graph.
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
      constexpr std::uint8_t kKinds = kBehindWait | kJoinsTeam;
      if (graph.edge_kind[e] == EdgeKind::kContinuation && (marks_[graph.successors[e]] & kKinds) == kBehindWait)
        marks_[node] |= kWaits;
    }
  }
}

}  // namespace foretask::simulate
