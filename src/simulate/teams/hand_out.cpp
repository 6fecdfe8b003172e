// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/hand_out.hpp"

#include <algorithm>
#include <vector>

namespace foretask::simulate {

const analysis::SchedulingCosts* costs_of_chunks(const analysis::SimulationOptions& options) noexcept {
  const std::vector<analysis::TeamCosts>& teams = options.costs.teams;
  const bool is_known = options.policy == analysis::Policy::kWorkStealing &&
                        std::any_of(teams.begin(), teams.end(), [](const auto& team) { return team.chunk_ns > 0; });
  return is_known ? &options.costs : nullptr;
}

HandOut hand_out(const analysis::SchedulingCosts& costs, std::uint32_t threads) {
  if (threads < 2) return {};
  const auto ns = static_cast<double>(analysis::team_costs(costs.teams, threads).chunk_ns);
  const std::uint32_t asking = std::clamp(costs.calibrated_threads, 1U, threads);
  return {ns, ns / asking};
}

}  // namespace foretask::simulate
