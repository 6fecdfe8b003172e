// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/phase_shares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/teams/loop_cost.hpp"
#include "simulate/teams/loop_shares.hpp"

namespace foretask::simulate {

using analysis::kNoLoop;
using analysis::LoopPiece;
using analysis::TeamLoop;
using analysis::TeamPhase;
using graph::TeamShare;

const std::vector<std::vector<PhaseShare>>& PhaseShares::divide(const TeamPhase& phase, std::uint32_t threads) {
  shares_.resize(threads);
  for (auto& shares : shares_) shares.clear();
  busy_ns_.assign(threads, 0);
  written_ns_.assign(threads, 0);
  const std::vector<TeamShare> recorded = graph::shares_of_phase(graph_.team, phase, duration_ns_);
  const auto rest =
      std::find_if(recorded.begin(), recorded.end(), [](const TeamShare& one) { return one.loop == kNoLoop; });
  // What is done outside of loops comes first.
  const std::uint32_t kernel = graph_.kernel[graph::rest_node(graph_.team, phase)];
  add_rest({rest, recorded.end()}, phase);
  add_shares(kernel);
  for (auto begin = recorded.begin(); begin != rest;) {
    const auto end = std::find_if(begin, rest, [&](const TeamShare& one) { return one.loop != begin->loop; });
    add_loop({begin, end}, std::max(1U, phase.threads));
    begin = end;
  }
  for (auto& shares : shares_)
    if (shares.empty()) shares.push_back({kernel, 0});
  return shares_;
}

void PhaseShares::add_rest(Recorded shares, const TeamPhase& phase) {
  const auto recorded_threads = static_cast<double>(std::max(1U, phase.threads));
  LoopCost cost(recorded_threads * static_cast<double>(busy_ns_.size()));
  const double block = cost.iterations() / recorded_threads;
  std::vector<CostBlock> blocks;
  double sum = 0;
  for (const TeamShare& one : shares) {
    const auto ns = static_cast<double>(one.ns);
    if (one.is_of_one) {
      busy_ns_.front() += ns;
    } else {
      sum += ns;
      blocks.push_back({one.thread * block, (one.thread + 1.0) * block, ns});
    }
  }
  if (phase.rest_divides) {
    cost.add_blocks(std::move(blocks));
    cost.finish();
    deal_loop(cost, analysis::LoopSchedule::kStatic, 0, busy_ns_);
    return;
  }
  // What each thread does for itself: more threads do what the recorded ones did in the mean; on fewer nothing is lost.
  std::sort(blocks.begin(), blocks.end(), [](const CostBlock& a, const CostBlock& b) { return a.cost > b.cost; });
  double left = sum;
  for (std::size_t thread = 0; thread < busy_ns_.size(); ++thread) {
    const double own = thread < blocks.size() ? blocks[thread].cost : sum / recorded_threads;
    busy_ns_[thread] += own;
    left -= own;
  }
  if (busy_ns_.size() < blocks.size())
    for (double& busy : busy_ns_) busy += left / static_cast<double>(busy_ns_.size());
}

void PhaseShares::add_loop(Recorded shares, std::uint32_t recorded_threads) {
  const TeamLoop& loop = graph_.team.loops[shares.front().loop];
  const std::span<const LoopPiece> pieces =
      std::span(graph_.team.pieces).subspan(loop.first_piece, loop.end_piece - loop.first_piece);
  auto iterations = static_cast<double>(loop.iterations);
  if (iterations < 1) {
    iterations = static_cast<double>(recorded_threads);
    for (const LoopPiece& piece : pieces) iterations = std::max(iterations, static_cast<double>(piece.last) + 1);
  }
  LoopCost cost(iterations);
  const double block = iterations / recorded_threads;
  std::vector<CostBlock> blocks;
  for (const TeamShare& share : shares) {
    const auto ns = static_cast<double>(share.ns);
    double weight = 0;
    const std::span<const LoopPiece> own = graph::pieces_of(graph_.team, loop, share.thread);
    for (const LoopPiece& piece : own) weight += piece.weight;
    if (pieces.empty()) {
      blocks.push_back({share.thread * block, (share.thread + 1.0) * block, ns});
    } else if (!(weight > 0)) {
      cost.add(0, iterations, ns);
    } else {
      for (const LoopPiece& piece : own)
        blocks.push_back(
            {static_cast<double>(piece.first), static_cast<double>(piece.last) + 1, ns * piece.weight / weight});
    }
  }
  if (loop.schedule == analysis::LoopSchedule::kStatic) {
    cost.add_blocks(std::move(blocks));
  } else {
    for (const CostBlock& one : blocks) cost.add(one.begin, one.end, one.cost);
  }
  cost.finish();
  analysis::LoopChange dealt{loop.kernel, loop.schedule, loop.chunk};
  for (const analysis::LoopChange& change : loops_)
    if (change.kernel == loop.kernel) dealt = change;
  deal_loop(cost, dealt.schedule, dealt.chunk, busy_ns_);
  add_shares(loop.kernel);
}

// What has come to each thread's time since the last call is of `kernel`. Whole ns, whose sum is that of the parts.
void PhaseShares::add_shares(std::uint32_t kernel) {
  double sum = 0;
  std::int64_t written = 0;
  for (std::size_t thread = 0; thread < shares_.size(); ++thread) {
    sum += busy_ns_[thread] - written_ns_[thread];
    const std::int64_t ns = std::llround(sum) - written;
    written += ns;
    written_ns_[thread] = busy_ns_[thread];
    if (ns > 0) shares_[thread].push_back({kernel, ns});
  }
}

}  // namespace foretask::simulate
