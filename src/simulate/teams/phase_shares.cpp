// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/phase_shares.hpp"

#include <cmath>

#include "simulate/teams/phase_work.hpp"

namespace foretask::simulate {

const std::vector<std::vector<PhaseShare>>& PhaseShares::divide(const analysis::TeamPhase& phase,
                                                                std::uint32_t threads) {
  shares_.resize(threads);
  for (auto& shares : shares_) shares.clear();
  written_ns_.assign(threads, 0);
  const PhaseWork work(graph_, duration_ns_, phase, threads, dealing_.costs);
  busy_ns_ = work.rest_ns();
  add_shares(work.rest_kernel());
  for (const PhaseWork::Loop& loop : work.loops()) {
    deal_loop(loop, dealing_.changes, busy_ns_);
    add_shares(loop.recorded->kernel);
  }
  for (auto& shares : shares_)
    if (shares.empty()) shares.push_back({work.rest_kernel(), 0});
  return shares_;
}

// Rounding may not leave 63 bits.
constexpr double kMostNs = 9.2e18;

// What has come to each thread's time since the last call is of `kernel`. Whole ns, whose sum is that of the parts.
void PhaseShares::add_shares(std::uint32_t kernel) {
  double sum = 0;
  std::int64_t written = 0;
  for (std::size_t thread = 0; thread < shares_.size(); ++thread) {
    sum += busy_ns_[thread] - written_ns_[thread];
    const std::int64_t ns = std::llround(std::min(sum, kMostNs)) - written;
    written += ns;
    written_ns_[thread] = busy_ns_[thread];
    if (ns > 0) shares_[thread].push_back({kernel, ns});
  }
}

}  // namespace foretask::simulate
