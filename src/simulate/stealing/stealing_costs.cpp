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

// For how many tasks there is room in a deque, or in the team.
std::size_t room_of(const analysis::SimulationOptions& options) {
  const analysis::RuntimeRules& rules = options.costs.rules;
  if (rules.alone_is_at_once && options.cores < 2) return 0;
  if (rules.tasks_per_thread != 0) return std::size_t{rules.tasks_per_thread} * options.cores + 1;
  return rules.deque_capacity != 0 ? rules.deque_capacity : std::numeric_limits<std::size_t>::max();
}

bool is_any(const TeamCosts& costs, bool (*test)(std::int64_t ns)) {
  return std::any_of(analysis::kTeamCostFields.begin(), analysis::kTeamCostFields.end(),
                     [&](const analysis::TeamCostField& field) { return test(costs.*field.ns); });
}

// How many strands and tasks each node comes behind, up to 2.
PageArray<std::uint8_t> predecessors_of(const TaskGraph& graph) {
  PageArray<std::uint8_t> predecessors(graph.size());
  for (const NodeIndex next : graph.successors)
    if (predecessors[next] < 2) ++predecessors[next];
  return predecessors;
}

}  // namespace

Result<StealingCosts> StealingCosts::of(const TaskGraph& graph, const analysis::SimulationOptions& options,
                                        std::int64_t work_ns) {
  const TeamCosts team = analysis::team_costs(options.costs.teams, std::max(1U, options.cores));
  const TeamCosts of_one = analysis::team_costs(options.costs.teams, 1);
  const auto is_negative = [](std::int64_t ns) { return ns < 0; };
  if (is_any(team, is_negative) || is_any(of_one, is_negative) || options.costs.thread_ns < 0 ||
      options.costs.team_start_ns < 0)
    return Error{"a scheduling cost is negative"};
  StealingCosts costs(graph, options);
  TeamCosts most = team;
  most.create_ns = std::max(team.create_ns, of_one.create_ns);
  if (!fits(most, costs.team_start_ns_, graph, work_ns)) return Error{"the scheduling costs are too large"};
  costs.fill_tables(team, of_one);
  const std::uint32_t measured = std::max(options.costs.calibrated_threads, options.costs.recorded_workers);
  const std::uint32_t asking = std::clamp(measured, 1U, std::max(1U, options.cores));
  costs.create_held_ns_ = team.create_ns / asking;
  costs.take_held_ns_ = team.next_ns / asking;
  const bool is_recording = !graph.task_of_node.empty();
  if (is_recording && is_any(most, [](std::int64_t ns) { return ns != 0; })) costs.mark_strands(graph);
  return costs;
}

StealingCosts::StealingCosts(const TaskGraph& graph, const analysis::SimulationOptions& options)
    : room_(room_of(options)), team_start_(graph.team_start) {
  if (options.cores < 2) return;
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  const Wide recorded = options.costs.recorded_workers;
  const Wide most_ns = options.costs.team_start_ns + Wide{options.cores} * options.costs.thread_ns;
  // No number is negative.
  const Wide start_ns = most_ns - std::min(most_ns, recorded * options.costs.thread_ns);
  team_start_ns_ = static_cast<std::int64_t>(std::min<Wide>(start_ns, kMost));
}

void StealingCosts::fill_tables(const TeamCosts& costs, const TeamCosts& of_one) {
  const auto set = [this](Begin begin, Arrival arrival, std::int64_t ns) {
    before_ns_[static_cast<std::size_t>(begin)][static_cast<std::size_t>(arrival)] = ns;
  };
  set(Begin::kTask, Arrival::kFromWait, costs.dispatch_ns);
  set(Begin::kTask, Arrival::kFromEnd, costs.next_ns);
  set(Begin::kTask, Arrival::kContended, std::max(costs.contended_ns, costs.next_ns));
  set(Begin::kTask, Arrival::kAtOnce, costs.at_once_ns);
  set(Begin::kWait, Arrival::kResumed, costs.resume_ns);
  for (const Arrival arrival : {Arrival::kGoingOn, Arrival::kGoingOnFull}) set(Begin::kWait, arrival, costs.pass_ns);
  set(Begin::kSwitch, Arrival::kGoingOn, costs.next_ns);
  set(Begin::kSwitch, Arrival::kGoingOnFull, costs.at_once_ns);
  for (auto& of_begin : before_ns_) of_begin[static_cast<std::size_t>(Arrival::kStolen)] = costs.steal_ns;
  wake_ns_ = costs.steal_ns;
  before_ns_[static_cast<std::size_t>(Begin::kTeam)].fill(costs.fork_ns);
  set(Begin::kTeam, Arrival::kWoken, std::max<std::int64_t>(0, costs.fork_ns - wake_ns_));
  before_ns_[static_cast<std::size_t>(Begin::kBarrier)].fill(costs.barrier_ns);
  added_ns_[static_cast<std::size_t>(End::kCreation)] = costs.create_ns;
  added_ns_[static_cast<std::size_t>(End::kUndeferred)] = of_one.create_ns;
  added_ns_[static_cast<std::size_t>(End::kWait)] = costs.wait_ns;
  added_ns_[static_cast<std::size_t>(End::kTask)] = costs.body_ns;
}

void StealingCosts::mark_strands(const TaskGraph& graph) {
  ends_ = PageArray<Ends>(graph.size());
  const PageArray<std::uint8_t> predecessors = predecessors_of(graph);
  const auto is_explicit = [&graph](NodeIndex node) {
    return graph.parent_of_task[graph.task_of_node[node]] != kNoNode;
  };
  const auto is_untied = [&graph](NodeIndex node) {
    return !graph.task_is_untied.empty() && graph.task_is_untied[graph.task_of_node[node]] != 0;
  };
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    NodeIndex continuation = kNoNode;
    bool creates = false;
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
      const NodeIndex next = graph.successors[e];
      if (graph.edge_kind[e] == EdgeKind::kContinuation) {
        continuation = next;
      } else if (graph.edge_kind[e] == EdgeKind::kCreate) {
        ends_[next].begin = is_explicit(next) ? Begin::kTask : Begin::kTeam;
        creates = creates || is_explicit(next);
      } else if (graph.edge_kind[e] == EdgeKind::kJoin && !is_explicit(node) && ends_[next].begin != Begin::kTeam) {
        ends_[next].begin = Begin::kBarrier;
      }
    }
    if (continuation == kNoNode) {
      if (is_explicit(node) && graph.occupies_worker(node)) ends_[node].end = End::kTask;
    } else if (creates) {
      ends_[node].end = predecessors[continuation] > 1 ? End::kUndeferred : End::kCreation;
    } else if (ends_[continuation].begin == Begin::kOther) {
      const bool is_switch = is_untied(node) && predecessors[continuation] == 1;
      ends_[continuation].begin = is_switch ? Begin::kSwitch : Begin::kWait;
      if (is_switch) ends_[node].end = End::kTask;
    }
  }
  // A strand before a barrier waits at no taskwait. What joins the team comes later in the graph.
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e)
      if (graph.edge_kind[e] == EdgeKind::kContinuation && ends_[graph.successors[e]].begin == Begin::kWait)
        ends_[node].end = End::kWait;
  }
}

}  // namespace foretask::simulate
