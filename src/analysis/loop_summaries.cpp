// SPDX-License-Identifier: Apache-2.0
#include "analysis/loop_summaries.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "analysis/wait_causes.hpp"
#include "graph/team_shares.hpp"

namespace foretask::wiring {
namespace {

using analysis::kNoLoop;
using analysis::LoopSummary;
using analysis::TeamLoop;
using analysis::TeamPhase;
using graph::TeamShare;
using Shares = std::span<const TeamShare>;

// What the phase's other threads did less than its busiest, summed.
double missing_ns(const TeamPhase& phase, Shares shares) {
  std::map<std::uint32_t, double> by_thread;
  double sum = 0;
  double most = 0;
  for (const TeamShare& share : shares) {
    most = std::max(most, by_thread[share.thread] += static_cast<double>(share.ns + share.hand_out_ns));
    sum += static_cast<double>(share.ns + share.hand_out_ns);
  }
  return std::max(0.0, most * phase.threads - sum);
}

// Below this share of the work a region's own code is what any region has.
constexpr double kMuchRest = 0.01;

// Sums up loops by kernel.
class Summaries {
 public:
  Summaries(const graph::RecordedGraph& graph, const std::vector<std::string>& names) : graph_(graph), names_(names) {}

  // What a phase's threads did in the loop of that number, or in none.
  void add(const TeamPhase& phase, std::uint32_t number, Shares shares, double phase_missing_ns) {
    const bool is_rest = number == kNoLoop;
    if (is_rest && !(phase.divides && phase.rest_divides)) return;
    static const TeamLoop unseen{.is_schedule_known = false};
    const TeamLoop& loop = is_rest ? unseen : graph_.team.loops[number];
    const std::uint32_t kernel =
        is_rest ? graph_.kernel_of_task[graph_.strands.task[graph::rest_node(graph_.team, phase)]] : loop.kernel;
    auto& [summary, regions, mean_ns, most_ns, causes] = by_kernel_[kernel];
    const bool is_guessed = !loop.is_schedule_known && loop.schedule != analysis::LoopSchedule::kStatic;
    const std::string schedule = analysis::schedule_name(loop) + (is_guessed ? "?" : "");
    if (summary.name.empty()) {
      summary.name = names_[kernel];
      summary.schedule = schedule;
    } else if (summary.schedule != schedule) {
      summary.schedule = "several";
    }
    // A region's stretches between barriers are of one execution.
    if (!is_rest || regions.insert(phase.region).second) ++summary.instances;
    if (loop.is_cut) ++summary.cut;
    // Until a thread has done its part it is in the loop, also where it waits for its next chunk.
    std::vector<TeamShare> spent(shares.begin(), shares.end());
    std::int64_t sum = 0;
    std::int64_t most = 0;
    for (TeamShare& share : spent) {
      summary.work_ns += share.ns;
      summary.hand_out_ns += share.hand_out_ns;
      share.ns += share.hand_out_ns;
      sum += share.ns;
      most = std::max(most, share.ns);
    }
    summary.iterations += loop.iterations;
    summary.hand_outs += loop.hand_outs;
    summary.threads = std::max(summary.threads, phase.threads);
    const double threads = std::max(1U, phase.threads);
    mean_ns += static_cast<double>(sum) / threads;
    most_ns += static_cast<double>(most);
    // Not more than the phase's threads waited at its end.
    const double missing = threads * static_cast<double>(most) - static_cast<double>(sum);
    const double waited = std::clamp(missing, 0.0, phase_missing_ns);
    summary.waited_ns += static_cast<std::int64_t>(waited);
    causes.add(graph_.team, loop, spent, phase.threads, waited);
  }

  [[nodiscard]] std::vector<LoopSummary> result() && {
    std::vector<LoopSummary> summaries;
    for (auto& [kernel, sum] : by_kernel_) {
      auto& [summary, regions, mean_ns, most_ns, causes] = sum;
      const bool is_rest = graph_.kernels[kernel].kind == graph::KernelSite::Kind::kRegion;
      if (is_rest && static_cast<double>(summary.work_ns) < kMuchRest * static_cast<double>(graph_.work_ns)) continue;
      if (summary.threads > 1 && mean_ns > 0) summary.imbalance = most_ns / mean_ns;
      summary.waits = causes.result();
      summaries.push_back(std::move(summary));
    }
    std::stable_sort(summaries.begin(), summaries.end(),
                     [](const LoopSummary& a, const LoopSummary& b) { return a.work_ns > b.work_ns; });
    return summaries;
  }

 private:
  struct Sum {
    LoopSummary summary;
    std::set<std::uint32_t> regions;  // whose own code it is
    double mean_ns = 0;               // of the threads' times, and of the slowest thread, over all executions
    double most_ns = 0;
    WaitCauses causes;
  };

  const graph::RecordedGraph& graph_;
  const std::vector<std::string>& names_;
  std::map<std::uint32_t, Sum> by_kernel_;
};

}  // namespace

std::vector<LoopSummary> loop_summaries(const graph::RecordedGraph& graph, const graph::TeamShares& shares,
                                        const std::vector<std::string>& names) {
  Summaries summaries(graph, names);
  for (std::size_t number = 0; number < graph.team.phases.size(); ++number) {
    const TeamPhase& phase = graph.team.phases[number];
    const double missing = missing_ns(phase, shares.of_phase(number));
    graph::for_each_loop(shares.of_phase(number),
                         [&](std::uint32_t loop, Shares of_loop) { summaries.add(phase, loop, of_loop, missing); });
  }
  return std::move(summaries).result();
}

}  // namespace foretask::wiring
