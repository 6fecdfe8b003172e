// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/recorded_cost.hpp"

#include <algorithm>
#include <utility>

namespace foretask::simulate {

using analysis::LoopPiece;
using analysis::TeamLoop;
using graph::TeamShare;

namespace {

double weight_of(std::span<const LoopPiece> pieces) {
  double weight = 0;
  for (const LoopPiece& piece : pieces) weight += piece.weight;
  return weight;
}

}  // namespace

LoopCost recorded_cost(const LoopExecution& execution) {
  const TeamLoop& loop = execution.recorded();
  const auto threads = static_cast<double>(std::max(1U, execution.threads));
  const double iterations = graph::iterations_of(execution.team, loop, execution.threads);
  LoopCost cost(iterations);
  const double block = iterations / threads;
  std::vector<CostBlock> blocks;
  for (const TeamShare& share : execution.shares) {
    const auto ns = static_cast<double>(share.ns);
    const std::span<const LoopPiece> own = graph::pieces_of(execution.team, loop, share.thread);
    const double weight = weight_of(own);
    if (execution.pieces().empty()) {
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
  return cost;
}

std::vector<double> piece_costs(const LoopExecution& execution) {
  const std::span<const LoopPiece> pieces = execution.pieces();
  std::vector<double> costs(pieces.size());
  for (const TeamShare& share : execution.shares) {
    const std::span<const LoopPiece> own = graph::pieces_of(execution.team, execution.recorded(), share.thread);
    const double weight = weight_of(own);
    if (!(weight > 0)) continue;
    const auto first = static_cast<std::size_t>(own.data() - pieces.data());
    for (std::size_t i = 0; i < own.size(); ++i)
      costs[first + i] = static_cast<double>(share.ns) * own[i].weight / weight;
  }
  return costs;
}

}  // namespace foretask::simulate
