// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "graph/task_graph_order.hpp"
#include "graph/team_shares.hpp"
#include "simulate/cores/bottom_levels.hpp"
#include "simulate/cores/durations.hpp"
#include "simulate/machine/class_times.hpp"
#include "simulate/machine/machine_layout.hpp"

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

}  // namespace foretask::analysis
