// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/phase_work.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "simulate/teams/loop_shares.hpp"

namespace foretask::simulate {
namespace {

using analysis::kNoLoop;
using analysis::TeamLoop;
using analysis::TeamPhase;
using graph::TeamShare;

HandOut hand_out_of(const TeamLoop& loop, std::span<const TeamShare> shares, std::uint32_t recorded_threads,
                    std::uint32_t threads, const analysis::SchedulingCosts* costs) {
  if (!costs || loop.is_taskloop) return {};
  HandOut hand = hand_out(*costs, threads);
  double recorded_ns = 0;
  for (const TeamShare& share : shares) recorded_ns += static_cast<double>(share.hand_out_ns);
  const double calibrated_ns = hand_out(*costs, recorded_threads).ns * static_cast<double>(loop.hand_outs);
  if (recorded_ns > 0 && recorded_ns < calibrated_ns) {
    hand.ns *= recorded_ns / calibrated_ns;
    hand.held_ns *= recorded_ns / calibrated_ns;
  }
  return hand;
}

}  // namespace

PhaseWork::PhaseWork(const analysis::TaskGraph& graph, std::span<const std::int64_t> duration_ns,
                     const TeamPhase& phase, std::uint32_t threads, const analysis::SchedulingCosts* costs)
    : rest_kernel_(graph.kernel[graph::rest_node(graph.team, phase)]), rest_ns_(threads) {
  const std::vector<TeamShare> shares = graph::shares_of_phase(graph.team, phase, duration_ns);
  graph::for_each_loop(shares, [&](std::uint32_t loop, Recorded of_loop) {
    if (loop == kNoLoop) {
      add_rest(of_loop, phase);
    } else {
      const TeamLoop& recorded = graph.team.loops[loop];
      HandOut hand = hand_out_of(recorded, of_loop, phase.threads, threads, costs);
      hand.guided_halves = graph.team.guided_halves;
      loops_.push_back({&recorded, recorded_cost({graph.team, loop, of_loop, phase.threads}), hand});
    }
  });
}

void PhaseWork::add_rest(Recorded shares, const TeamPhase& phase) {
  const auto recorded_threads = static_cast<double>(std::max(1U, phase.threads));
  LoopCost cost(recorded_threads * static_cast<double>(rest_ns_.size()));
  const double block = cost.iterations() / recorded_threads;
  std::vector<CostBlock> blocks;
  double sum = 0;
  for (const TeamShare& one : shares) {
    const auto ns = static_cast<double>(one.ns);
    if (one.is_of_one) {
      rest_ns_.front() += ns;
    } else {
      sum += ns;
      blocks.push_back({one.thread * block, (one.thread + 1.0) * block, ns});
    }
  }
  if (phase.rest_divides) {
    cost.add_blocks(std::move(blocks));
    cost.finish();
    deal_loop(cost, analysis::LoopSchedule::kStatic, 0, {}, rest_ns_);
    return;
  }
  // What each thread does for itself: more threads do what the recorded ones did in the mean; on fewer nothing is lost.
  std::sort(blocks.begin(), blocks.end(), [](const CostBlock& a, const CostBlock& b) { return a.cost > b.cost; });
  double left = sum;
  for (std::size_t thread = 0; thread < rest_ns_.size(); ++thread) {
    const double own = thread < blocks.size() ? blocks[thread].cost : sum / recorded_threads;
    rest_ns_[thread] += own;
    left -= own;
  }
  if (rest_ns_.size() < blocks.size())
    for (double& busy : rest_ns_) busy += left / static_cast<double>(rest_ns_.size());
}

void deal_loop(const PhaseWork::Loop& loop, std::span<const analysis::LoopChange> changes, std::span<double> busy_ns) {
  const TeamLoop& own = *loop.recorded;
  analysis::LoopChange dealt{own.kernel, own.schedule, own.chunk};
  for (const analysis::LoopChange& change : changes)
    if (change.kernel == own.kernel) dealt = change;
  deal_loop(loop.cost, dealt.schedule, dealt.chunk, loop.hand_out, busy_ns);
}

std::vector<std::vector<PhaseShare>> phase_shares(const analysis::TaskGraph& graph,
                                                  std::span<const std::int64_t> duration_ns, const TeamPhase& phase,
                                                  std::uint32_t threads, const LoopDealing& dealing) {
  constexpr double kMostNs = 9.2e18;  // rounding may not leave 63 bits
  const PhaseWork work(graph, duration_ns, phase, threads, dealing.costs);
  std::vector<std::vector<PhaseShare>> shares(threads);
  std::vector<double> busy_ns = work.rest_ns();  // of each thread, until now
  std::vector<double> written_ns(threads);       // of it, in the shares
  // What has come to each thread's time since the last call is of `kernel`. Whole ns, whose sum is that of the parts.
  const auto add = [&](std::uint32_t kernel) {
    double sum = 0;
    std::int64_t written = 0;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      sum += busy_ns[thread] - std::exchange(written_ns[thread], busy_ns[thread]);
      const std::int64_t ns = std::llround(std::min(sum, kMostNs)) - written;
      written += ns;
      if (ns > 0) shares[thread].push_back({kernel, ns});
    }
  };
  add(work.rest_kernel());
  for (const PhaseWork::Loop& loop : work.loops()) {
    deal_loop(loop, dealing.changes, busy_ns);
    add(loop.recorded->kernel);
  }
  for (auto& own : shares)
    if (own.empty()) own.push_back({work.rest_kernel(), 0});
  return shares;
}

}  // namespace foretask::simulate
