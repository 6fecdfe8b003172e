// SPDX-License-Identifier: Apache-2.0
#include "simulate/cores/durations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "graph/task_graph_order.hpp"

namespace foretask::simulate {

using analysis::NodeIndex;
using analysis::SimulationOptions;
using analysis::TaskGraph;

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// Sum and maximum. Every instant of a replay is at most the latest release plus all durations: when that fits 63 bits,
// no time overflows. False where it does not.
bool sum_up(const TaskGraph& graph, Durations& durations) noexcept {
  bool fits = true;
  for (const std::int64_t duration : durations.ns) {
    fits &= !__builtin_add_overflow(durations.work_ns, duration, &durations.work_ns);
    durations.longest_ns = std::max(durations.longest_ns, duration);
  }
  std::int64_t latest_release_ns = 0;
  for (const std::int64_t release : graph.release_ns) latest_release_ns = std::max(latest_release_ns, release);
  return fits && !__builtin_add_overflow(durations.work_ns, latest_release_ns, &durations.latest_ns);
}

}  // namespace

Result<std::vector<double>> factors_in_force(const TaskGraph& graph, const SimulationOptions& options) {
  std::vector<double> factors;
  if (options.speedups.empty() && options.removed.empty()) return factors;
  factors.assign(graph.kernel_names.size(), 1.0);
  for (const auto& [kernel, factor] : options.speedups) {
    if (kernel >= factors.size()) return Error{.what = "no kernel has the number " + std::to_string(kernel)};
    if (!std::isfinite(factor) || factor <= 0) {
      return Error{.what = "the kernel factor of " + graph.kernel_names[kernel] + " is not a number above 0"};
    }
    factors[kernel] *= factor;
  }
  for (std::size_t kernel = 0; kernel < factors.size(); ++kernel) {
    if (!std::isfinite(factors[kernel]) || factors[kernel] <= 0) {
      return Error{.what = "the kernel factors of " + graph.kernel_names[kernel] + " are out of range when multiplied"};
    }
  }
  for (const std::uint32_t kernel : options.removed) {
    if (kernel >= factors.size()) return Error{.what = "no kernel has the number " + std::to_string(kernel)};
    factors[kernel] = std::numeric_limits<double>::infinity();
  }
  return factors;
}

std::int64_t divided_duration(std::int64_t duration_ns, double factor) noexcept {
  constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;
  constexpr long double kTooLarge = 9.2e18L;
  if (factor == 1.0) return duration_ns;
  if (duration_ns <= kExactInDouble) {
    const double quotient = static_cast<double>(duration_ns) / factor;
    return quotient < 9.2e18 ? std::llround(quotient) : kLargest;
  }
  const long double quotient = static_cast<long double>(duration_ns) / static_cast<long double>(factor);
  return quotient < kTooLarge ? std::llround(quotient) : kLargest;
}

Result<Durations> durations_in_force(const TaskGraph& graph, const SimulationOptions& options) {
  auto factors = factors_in_force(graph, options);
  if (!factors) return factors.error();

  Durations durations;
  const std::vector<std::int64_t>& own_ns = graph.duration_ns;
  durations.ns = own_ns;
  const auto missing = std::find_if(own_ns.begin(), own_ns.end(), [](std::int64_t ns) { return ns < 0; });
  if (missing != own_ns.end())
    return Error{.what = graph::task_name(graph, static_cast<NodeIndex>(missing - own_ns.begin())) +
                         " has no duration on a plain core"};
  if (!factors->empty()) {
    durations.divided.resize(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
      durations.divided[i] = divided_duration(own_ns[i], (*factors)[graph.kernel[i]]);
    }
    durations.ns = durations.divided;
  }
  if (!sum_up(graph, durations)) {
    return Error{.what = "the durations and releases do not fit in 63 bits of nanoseconds"};
  }
  durations.worker_work_ns = durations.work_ns;
  for (std::size_t i = 0; i < graph.cores.size(); ++i) {
    if (graph.cores[i] == 0) durations.worker_work_ns -= durations.ns[i];
  }
  // What a recording waited for outside is nobody's work.
  if (!graph.task_of_node.empty()) durations.work_ns = durations.worker_work_ns;
  return durations;
}

}  // namespace foretask::simulate
