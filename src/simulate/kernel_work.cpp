// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <span>

#include "foretask/analysis/sweep.hpp"
#include "simulate/machine/shortest_times.hpp"

namespace foretask::analysis {
namespace {

std::vector<std::int64_t> sums_of(const TaskGraph& graph, std::span<const std::int64_t> duration_ns) {
  std::vector<std::int64_t> work_ns(graph.kernel_names.size());
  for (std::size_t node = 0; node < graph.size(); ++node)
    if (duration_ns[node] > 0) work_ns[graph.kernel[node]] += duration_ns[node];
  return work_ns;
}

}  // namespace

Result<std::vector<std::int64_t>> kernel_work_ns(const TaskGraph& graph, const SimulationOptions& options) {
  try {
    const auto times = simulate::ShortestTimes::of(graph, options);
    if (!times) return times.error();
    return sums_of(graph, times->ns());
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the kernels' work"};
  }
}

}  // namespace foretask::analysis
