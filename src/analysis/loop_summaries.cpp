// SPDX-License-Identifier: Apache-2.0
#include "analysis/loop_summaries.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "graph/team_shares.hpp"

namespace foretask::wiring {
namespace {

using analysis::kNoLoop;
using analysis::LoopSchedule;
using analysis::LoopSummary;
using analysis::TeamLoop;
using analysis::TeamPhase;
using graph::TeamShare;
using Shares = std::span<const TeamShare>;

std::string schedule_text(const TeamLoop& loop) {
  if (loop.schedule == LoopSchedule::kStatic && !loop.is_schedule_known) return "unknown";
  return analysis::schedule_name(loop.schedule, loop.chunk);
}

// Tells `visit(phase, missing_ns, shares)` of each loop of each phase, and last, where there is some, of what is
// outside of them. `missing_ns`: what the phase's other threads did less than its busiest, summed.
template <typename Visit>
void for_each_loop(const graph::RecordedGraph& recorded, Visit visit) {
  for (const TeamPhase& phase : recorded.team.phases) {
    const std::vector<TeamShare> shares = graph::shares_of_phase(recorded.team, phase, recorded.strands.duration_ns);
    std::map<std::uint32_t, double> by_thread;
    double sum = 0;
    double most = 0;
    for (const TeamShare& share : shares) {
      most = std::max(most, by_thread[share.thread] += static_cast<double>(share.ns));
      sum += static_cast<double>(share.ns);
    }
    const double missing_ns = std::max(0.0, most * phase.threads - sum);
    for (auto begin = shares.begin(); begin != shares.end();) {
      const auto end = std::find_if(begin, shares.end(), [&](const TeamShare& one) { return one.loop != begin->loop; });
      visit(phase, missing_ns, Shares(begin, end));
      begin = end;
    }
  }
}

// Below this share of the work a region's own code is what any region has.
constexpr double kMuchRest = 0.01;

}  // namespace

std::vector<LoopSummary> loop_summaries(const graph::RecordedGraph& graph, const std::vector<std::string>& names) {
  std::map<std::uint32_t, LoopSummary> by_kernel;
  std::map<std::uint32_t, std::pair<double, double>> mean_and_most;
  for_each_loop(graph, [&](const TeamPhase& phase, double missing_ns, Shares shares) {
    const bool is_rest = shares.front().loop == kNoLoop;
    if (is_rest && !(phase.divides && phase.rest_divides)) return;
    static const TeamLoop unseen{.is_schedule_known = false};
    const TeamLoop& loop = is_rest ? unseen : graph.team.loops[shares.front().loop];
    const std::uint32_t kernel =
        is_rest ? graph.kernel_of_task[graph.strands.task[graph::rest_node(graph.team, phase)]] : loop.kernel;
    LoopSummary& summary = by_kernel[kernel];
    const std::string schedule = schedule_text(loop);
    if (summary.instances++ == 0) {
      summary.name = names[kernel];
      summary.schedule = schedule;
    } else if (summary.schedule != schedule) {
      summary.schedule = "several";
    }
    std::int64_t sum = 0;
    std::int64_t most = 0;
    for (const TeamShare& share : shares) {
      sum += share.ns;
      most = std::max(most, share.ns);
    }
    summary.iterations += loop.iterations;
    summary.work_ns += sum;
    summary.threads = std::max(summary.threads, phase.threads);
    const double threads = std::max(1U, phase.threads);
    mean_and_most[kernel].first += static_cast<double>(sum) / threads;
    mean_and_most[kernel].second += static_cast<double>(most);
    // Not more than the phase's threads waited at its end.
    const double missing = threads * static_cast<double>(most) - static_cast<double>(sum);
    summary.waited_ns += static_cast<std::int64_t>(std::clamp(missing, 0.0, missing_ns));
  });
  std::vector<LoopSummary> summaries;
  for (auto& [kernel, summary] : by_kernel) {
    const bool is_rest = graph.kernels[kernel].kind == graph::KernelSite::Kind::kRegion;
    if (is_rest && static_cast<double>(summary.work_ns) < kMuchRest * static_cast<double>(graph.work_ns)) continue;
    const auto& [mean, most] = mean_and_most[kernel];
    if (summary.threads > 1 && mean > 0) summary.imbalance = most / mean;
    summaries.push_back(std::move(summary));
  }
  std::stable_sort(summaries.begin(), summaries.end(),
                   [](const LoopSummary& a, const LoopSummary& b) { return a.work_ns > b.work_ns; });
  return summaries;
}

std::int64_t assumed_even_ns(const graph::RecordedGraph& graph) {
  std::int64_t sum = 0;
  const std::uint32_t widest = graph::widest_team(graph.team);
  for_each_loop(graph, [&](const TeamPhase& phase, double, Shares shares) {
    if (!phase.divides || phase.threads != widest) return;
    const std::uint32_t number = shares.front().loop;
    const bool is_rest = number == kNoLoop;
    if (is_rest && !phase.rest_divides) return;
    // Of several threads a seen loop's shares or chunks tell how its iterations differ.
    const auto pieces = is_rest ? 0 : graph.team.loops[number].end_piece - graph.team.loops[number].first_piece;
    if (!is_rest && (phase.threads > 1 || pieces > 1)) return;
    for (const TeamShare& share : shares)
      if (!share.is_of_one) sum += share.ns;
  });
  return sum;
}

}  // namespace foretask::wiring
