// SPDX-License-Identifier: Apache-2.0
#include "simulate/locked_replay.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace foretask::analysis {

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

namespace foretask::simulate {

LockedReplay::LockedReplay(const analysis::TaskGraph& graph, analysis::SimulationOptions options,
                           std::unique_ptr<Replayer> replay)
    : graph_(graph), options_(std::move(options)), replay_(std::move(replay)) {}

Result<analysis::SimulationResult> LockedReplay::run(std::uint32_t cores, std::uint64_t seed) {
  auto result = replay_->run(cores, seed);
  if (!result) return result;
  const std::int64_t least_ns = analysis::lock_bound_ns(graph_, options_, cores);
  if (result->makespan_ns <= 0 || least_ns <= result->makespan_ns) return result;
  const double factor = static_cast<double>(result->makespan_ns) / static_cast<double>(least_ns);
  result->makespan_ns = least_ns;
  result->speedup *= factor;
  result->utilization *= factor;
  return result;
}

}  // namespace foretask::simulate
