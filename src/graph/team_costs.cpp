// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "foretask/analysis/scheduling_costs.hpp"

namespace foretask::analysis {

TeamCosts team_costs(const std::vector<TeamCosts>& teams, std::uint32_t threads) {
  const auto larger = std::ranges::find_if(teams, [threads](const auto& team) { return team.threads >= threads; });
  TeamCosts costs;
  if (larger != teams.end() && larger->threads == threads) {
    costs = *larger;
  } else if (threads > 1) {
    const bool has_smaller = larger != teams.begin() && std::prev(larger)->threads > 1;
    if (larger != teams.end()) costs = *larger;
    if (has_smaller && larger == teams.end()) costs = *std::prev(larger);
    if (has_smaller && larger != teams.end()) {
      const TeamCosts& smaller = *std::prev(larger);
      const double part = std::log2(static_cast<double>(threads) / smaller.threads) /
                          std::log2(static_cast<double>(larger->threads) / smaller.threads);
      for (const TeamCostField& field : kTeamCostFields) {
        const auto low = static_cast<double>(smaller.*field.ns);
        costs.*field.ns = std::llround(low + part * (static_cast<double>(costs.*field.ns) - low));
      }
    }
  }
  costs.threads = threads;
  return costs;
}

TaskCosts task_costs(const TeamCosts& costs, double waits, bool has_parts) noexcept {
  const double from_wait = std::min(waits, 1.0);
  const auto ns = [](std::int64_t of) { return static_cast<double>(of); };
  TaskCosts task{.within_ns = ns(costs.create_ns) + ns(costs.body_ns) + waits * ns(costs.wait_ns),
                 .between_ns = ns(costs.at_once_ns)};
  if (costs.dispatch_ns != 0)
    task.between_ns = from_wait * (ns(costs.dispatch_ns) + ns(costs.resume_ns)) + (1 - from_wait) * ns(costs.next_ns);
  if (!has_parts) return task;
  task.within_ns += ns(costs.body_ns);
  task.between_ns += ns(costs.dispatch_ns != 0 ? costs.next_ns : costs.at_once_ns);
  return task;
}

}  // namespace foretask::analysis
