// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/loop_shares.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace foretask::simulate {
namespace {

void deal_blocks(const LoopCost& cost, std::span<double> busy_ns) {
  const auto threads = static_cast<double>(busy_ns.size());
  const double small = std::floor(cost.iterations() / threads);
  const double larger = cost.iterations() - small * threads;  // blocks with an iteration more
  double begin = 0;
  for (std::size_t thread = 0; thread < busy_ns.size(); ++thread) {
    const double end = begin + small + (static_cast<double>(thread) < larger ? 1 : 0);
    busy_ns[thread] += cost.before(end) - cost.before(begin);
    begin = end;
  }
}

void deal_in_turn(const LoopCost& cost, double chunk, std::span<double> busy_ns) {
  std::size_t thread = 0;
  double before = cost.before(0);
  for (double begin = 0; begin < cost.iterations(); begin += chunk) {
    const double up_to_end = cost.before(std::min(begin + chunk, cost.iterations()));
    busy_ns[thread] += up_to_end - before;
    before = up_to_end;
    thread = thread + 1 == busy_ns.size() ? 0 : thread + 1;
  }
}

// `size_of`: of what is dealt next, of what is left. That is `at_once` chunks.
template <typename SizeOf>
void deal_to_first(const LoopCost& cost, const HandOut& hand_out, double at_once, std::span<double> busy_ns,
                   SizeOf size_of) {
  using Free = std::pair<double, std::size_t>;
  std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
  for (std::size_t thread = 0; thread < busy_ns.size(); ++thread) free.emplace(busy_ns[thread], thread);
  double before = cost.before(0);
  double served_until = 0;
  for (double begin = 0; begin < cost.iterations();) {
    const double end = std::min(cost.iterations(), begin + size_of(cost.iterations() - begin));
    const double up_to_end = cost.before(end);
    const auto [since, thread] = free.top();
    free.pop();
    const double ns = up_to_end - before;
    served_until = std::max(served_until, since) + at_once * hand_out.held_ns;
    busy_ns[thread] = std::max(since + at_once * hand_out.ns + ns, served_until + ns / at_once);
    free.emplace(busy_ns[thread], thread);
    begin = end;
    before = up_to_end;
  }
}

}  // namespace

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

void deal_loop(const LoopCost& cost, analysis::LoopSchedule schedule, std::uint64_t chunk, const HandOut& hand_out,
               std::span<double> busy_ns) {
  const double least = std::ceil(cost.iterations() / kMostDealtChunks);
  const double own = std::max(1.0, static_cast<double>(chunk));
  const double size = std::max(least, own);
  switch (schedule) {
    case analysis::LoopSchedule::kStatic:
      return deal_blocks(cost, busy_ns);
    case analysis::LoopSchedule::kStaticChunked:
      return deal_in_turn(cost, size, busy_ns);
    case analysis::LoopSchedule::kDynamic:
      return deal_to_first(cost, hand_out, size / own, busy_ns, [size](double) { return size; });
    case analysis::LoopSchedule::kGuided: {
      const auto threads = static_cast<double>(busy_ns.size());
      return deal_to_first(cost, hand_out, 1, busy_ns, [&hand_out, size, threads](double left) {
        return std::max(size, hand_out.guided_halves ? std::floor(left / (2 * threads)) : std::ceil(left / threads));
      });
    }
  }
}

}  // namespace foretask::simulate
