// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <span>

#include "foretask/analysis/sweep.hpp"
#include "simulate/durations.hpp"
#include "simulate/machine/class_times.hpp"
#include "simulate/machine/machine_layout.hpp"

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
    if (options.platform) {
      const auto times = simulate::ClassTimes::of(graph, simulate::classes_of(*options.platform), options);
      if (!times) return times.error();
      return sums_of(graph, times->fastest());
    }
    const auto durations = simulate::durations_in_force(graph, options);
    if (!durations) return durations.error();
    return sums_of(graph, durations->ns);
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the kernels' work"};
  }
}

}  // namespace foretask::analysis
