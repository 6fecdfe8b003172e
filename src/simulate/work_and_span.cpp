// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "graph/task_graph_order.hpp"
#include "graph/team_shares.hpp"
#include "simulate/cores/durations.hpp"
#include "simulate/cores/level_ranks.hpp"
#include "simulate/machine/machine.hpp"

namespace foretask::analysis {
namespace {

Result<WorkAndSpan> work_and_span_of(const TaskGraph& graph, std::span<const std::int64_t> duration_ns) {
  WorkAndSpan result{.kernel_work_ns = std::vector<std::int64_t>(graph.kernel_names.size())};
  for (std::size_t node = 0; node < graph.size(); ++node)
    if (duration_ns[node] > 0) result.kernel_work_ns[graph.kernel[node]] += duration_ns[node];
  simulate::PendingCounts pending(graph.size());
  const std::vector<std::int64_t> weight_ns =
      graph::indivisible_ns(graph.team, graph::TeamShares(graph.team, duration_ns), duration_ns);
  const auto levels = simulate::bottom_levels(graph, weight_ns.empty() ? duration_ns : std::span(weight_ns), pending);
  if (!levels) return graph::cycle_error(graph);
  result.span_ns = static_cast<std::int64_t>(levels->highest_ns);
  return result;
}

}  // namespace

Result<WorkAndSpan> work_and_span(const TaskGraph& graph, const SimulationOptions& options) {
  try {
    if (options.platform) {
      const auto times = simulate::ClassTimes::of(graph, simulate::classes_of(*options.platform), options);
      if (!times) return times.error();
      return work_and_span_of(graph, times->fastest());
    }
    const auto durations = simulate::durations_in_force(graph, options);
    if (!durations) return durations.error();
    return work_and_span_of(graph, durations->ns);
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the longest path"};
  }
}

std::int64_t lock_bound_ns(const TaskGraph& graph, const SimulationOptions& options, std::uint32_t cores) {
  if (graph.locks.empty() || cores < 2 || options.policy != Policy::kWorkStealing) return 0;
  std::vector<double> factor(graph.kernel_names.size(), 1);
  for (const auto& [kernel, speedup] : options.speedups)
    if (kernel < factor.size()) factor[kernel] /= speedup;
  for (const std::uint32_t kernel : options.removed)
    if (kernel < factor.size()) factor[kernel] = 0;
  const auto lock_ns = static_cast<double>(team_costs(options.costs.teams, cores).lock_ns);
  std::vector<double> lock(graph.locks.back().lock + std::size_t{1});
  for (const LockHold& hold : graph.locks)
    if (hold.kernel < factor.size())
      lock[hold.lock] += factor[hold.kernel] * static_cast<double>(hold.held_ns) +
                         (factor[hold.kernel] > 0 ? lock_ns * static_cast<double>(hold.handed_on) : 0);
  return std::llround(*std::max_element(lock.begin(), lock.end()));
}

}  // namespace foretask::analysis
