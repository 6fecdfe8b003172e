// SPDX-License-Identifier: Apache-2.0
#include "analysis/scheduling_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace foretask::wiring {
namespace {

using analysis::TeamCosts;
using graph::Boundary;
using graph::RuntimeTimes;
using statistics::TimeHistogram;

// What is left where nothing was stolen: the order of a thread's being woken by another's store.
constexpr std::int64_t kDefaultStealNs = 1000;
// The order of what the operating system takes to wake a thread that sleeps.
constexpr std::int64_t kSleepingNs = 50'000;
// Fewer times than this give no mean worth the name.
constexpr std::uint64_t kEnoughTimes = 16;

void take_mean(const TimeHistogram& times, std::int64_t& ns) {
  if (times.count() >= kEnoughTimes) ns = std::llround(times.mean_ns());
}

// One start and one end are a sample of one. What is longer than this was something else on the machine, and would be
// multiplied by every core asked for.
constexpr long long kMostThreadNs = 150'000;

// What a thread more costs: its share of the first team's start and of what the runtime did at its end.
std::int64_t thread_ns(const trace::RunFile& run, const graph::RecordedGraph& graph, base::Ticks start) {
  if (graph.first_team_size < 2) return 0;
  double total = static_cast<double>(graph.team_start_ns);
  if (run.end.ticks > start && graph.program_end_ns > 0)
    total += std::max(0.0, static_cast<double>(run.end.ticks - start) / run.ticks_per_second * 1e9 -
                               static_cast<double>(graph.program_end_ns));
  return std::min(kMostThreadNs, std::llround(total / (graph.first_team_size - 1)));
}

// What a replay adds within strands is what was taken out of them: so a replay on the recorded threads takes as long as
// the run did. Of other teams the runtime is as much faster or slower as its gaps were, but for what the operating
// system or other threads take part in.
void scale(std::vector<TeamCosts>& teams, const graph::RecordedGraph& graph) {
  if (!(graph.calibrated_runtime_ns > 0)) return;
  const double within = graph.taken_runtime_ns / graph.calibrated_runtime_ns;
  const double between = graph.charged_runtime_ns / graph.calibrated_runtime_ns;
  const auto times = [](std::int64_t& ns, double factor) { ns = std::llround(static_cast<double>(ns) * factor); };
  for (TeamCosts& team : teams) {
    for (std::int64_t TeamCosts::*const ns :
         {&TeamCosts::create_ns, &TeamCosts::wait_ns, &TeamCosts::body_ns, &TeamCosts::depend_ns})
      times(team.*ns, within);
    for (std::int64_t TeamCosts::*const ns :
         {&TeamCosts::at_once_ns, &TeamCosts::dispatch_ns, &TeamCosts::resume_ns, &TeamCosts::pass_ns})
      times(team.*ns, between);
  }
}

// A thread that waits for tasks sleeps. The calibration's spins.
bool waits_asleep(const trace::RunFile& run) {
  return std::any_of(run.environment.begin(), run.environment.end(), [](const auto& variable) {
    return variable.first == "OMP_WAIT_POLICY" && (variable.second == "passive" || variable.second == "PASSIVE");
  });
}

TeamCosts& entry_of(std::vector<TeamCosts>& teams, std::uint32_t threads) {
  auto place = std::find_if(teams.begin(), teams.end(), [&](const TeamCosts& team) { return team.threads >= threads; });
  if (place == teams.end() || place->threads != threads)
    place = teams.insert(place, analysis::team_costs(teams, threads));
  return *place;
}

}  // namespace

void add_recorded_gaps(const RuntimeTimes& times, TeamCosts& costs) {
  take_mean(times.at_once, costs.at_once_ns);
  take_mean(times.dispatch, costs.dispatch_ns);
  take_mean(times.next, costs.next_ns);
  take_mean(times.contended, costs.contended_ns);
  take_mean(times.steal, costs.steal_ns);
  take_mean(times.resume, costs.resume_ns);
  take_mean(times.pass, costs.pass_ns);
  take_mean(times.fork, costs.fork_ns);
  take_mean(times.barrier, costs.barrier_ns);
}

void add_empty_strands(const RuntimeTimes& times, TeamCosts& costs) {
  const auto mean_ns = [&times](Boundary begin, Boundary end) {
    const TimeHistogram& strands = times.strands[static_cast<std::size_t>(begin)][static_cast<std::size_t>(end)];
    // Those that spin take some us each, so that others steal tasks. On a slow machine that is 2^6 times an empty one.
    constexpr std::size_t kFarther = 4;
    return strands.count() >= kEnoughTimes ? strands.mean_ns(kFarther) : 0;
  };
  const double body = mean_ns(Boundary::kTask, Boundary::kTask);
  const double create = mean_ns(Boundary::kCreate, Boundary::kCreate);
  // From a task's begin over a creation and a wait to its end, less the creation and the body.
  const double wait = mean_ns(Boundary::kTask, Boundary::kCreate) + mean_ns(Boundary::kCreate, Boundary::kWait) +
                      mean_ns(Boundary::kWait, Boundary::kTask) - create - body;
  costs.body_ns = std::llround(body);
  costs.create_ns = std::llround(create);
  costs.wait_ns = std::max(0LL, std::llround(wait));
}

// A runtime looks for a listener where it creates a task, which is within a strand, and where it starts and ends one:
// half of it is taken to be in each.
trace::ProbeCosts with_listening(const trace::ProbeCosts& probes, std::int64_t listen_ns) {
  trace::ProbeCosts all = probes;
  const double half_ns = static_cast<double>(listen_ns) / 2;
  for (const auto kind : {FORETASK_EVENT_TASK_CREATE, FORETASK_EVENT_TASK_CREATE_FLAGGED,
                          FORETASK_EVENT_TASK_CREATE_FAR, FORETASK_EVENT_TASK_END})
    all[kind] += half_ns;
  all[FORETASK_EVENT_SUBTREE] += static_cast<double>(listen_ns);  // one that is counted alone
  return all;
}

trace::RuntimeCosts known_runtime_costs(const trace::RunFile& run) {
  trace::RuntimeCosts stored = trace::stored_runtime_costs(run.machine.fingerprint, run.modules,
                                                           analysis::runtime_rules(run.runtime, run.runtime_version));
  if (stored.tried_threads > run.runtime_costs.tried_threads) return stored;
  return run.runtime_costs;
}

analysis::SchedulingCosts scheduling_costs(const trace::RunFile& run, const graph::RecordedGraph& graph,
                                           base::Ticks start) {
  analysis::SchedulingCosts costs;
  costs.teams = run.runtime_costs.teams;
  costs.is_calibrated = run.runtime_costs.is_known();
  costs.spread = run.runtime_costs.spread;
  if (costs.is_calibrated) costs.calibrated_threads = costs.teams.back().threads;
  scale(costs.teams, graph);
  costs.recorded_team = analysis::team_costs(costs.teams, std::max(1U, graph.workers));
  costs.rules = analysis::runtime_rules(run.runtime, run.runtime_version);
  if (costs.teams.empty()) costs.teams.push_back({.threads = 2, .steal_ns = kDefaultStealNs});
  if (costs.rules.queue == analysis::RuntimeRules::Queue::kTeam && waits_asleep(run))
    for (TeamCosts& team : costs.teams) team.steal_ns = std::max(team.steal_ns, kSleepingNs);
  add_recorded_gaps(graph.runtime, entry_of(costs.teams, std::max(1U, graph.workers)));
  costs.thread_ns = thread_ns(run, graph, start);
  if (graph.first_team_size == graph.workers && graph.workers > 1) costs.team_start_ns = graph.team_start_ns;
  costs.recorded_workers = graph.workers;
  return costs;
}

}  // namespace foretask::wiring
