// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/hand_out.hpp"

#include <algorithm>

namespace foretask::simulate {

HandOut hand_out(const analysis::SchedulingCosts& costs, std::uint32_t threads) {
  if (threads < 2) return {};
  const auto ns = static_cast<double>(analysis::team_costs(costs.teams, threads).chunk_ns);
  const std::uint32_t asking = std::clamp(costs.calibrated_threads, 1U, threads);
  return {ns, ns / asking};
}

}  // namespace foretask::simulate
