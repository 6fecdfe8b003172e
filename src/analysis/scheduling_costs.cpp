// SPDX-License-Identifier: Apache-2.0
#include "analysis/scheduling_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace foretask::wiring {
namespace {

// What is left where nothing was stolen: the order of a thread's being woken by another's store.
constexpr std::int64_t kDefaultBurdenNs = 1000;
// Tasks that a deque of LLVM's runtime holds before the creator runs the next one itself.
constexpr std::uint32_t kLlvmDequeCapacity = 256;
// Fewer gaps than this give no median worth the name.
constexpr std::size_t kEnoughGaps = 16;

std::int64_t median_above(std::vector<std::int64_t> gaps, double probe_ns, std::int64_t fallback) {
  if (gaps.size() < kEnoughGaps) return fallback;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return std::max<std::int64_t>(0, *middle - std::llround(probe_ns));
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

}  // namespace

analysis::SchedulingCosts scheduling_costs(const trace::RunFile& run, const graph::RecordedGraph& graph,
                                           base::Ticks start) {
  const double probe = run.probe_costs[FORETASK_EVENT_TASK_END];
  return {.dispatch_ns = median_above(graph.gaps.own, probe, 0),
          .steal_ns = median_above(graph.gaps.stolen, probe, kDefaultBurdenNs),
          .deque_capacity = kLlvmDequeCapacity,
          .thread_ns = thread_ns(run, graph, start),
          .recorded_workers = graph.workers};
}

}  // namespace foretask::wiring
