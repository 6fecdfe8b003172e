// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/loop_cost.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretask::simulate {
namespace {

using analysis::LoopPiece;
using analysis::TeamLoop;
using graph::TeamShare;

double weight_of(std::span<const LoopPiece> pieces) {
  double weight = 0;
  for (const LoopPiece& piece : pieces) weight += piece.weight;
  return weight;
}

// Even parts that stand for a block's slope; and of all blocks, more than loops are dealt out in.
constexpr double kPartsOfBlock = 32;
constexpr double kMostParts = 1 << 16;

struct Neighbourhood {
  double mean = 0;  // cost of an iteration
  double middle = 0;
};

// What lies on one side of a block (`step` -1: the left, 1: the right), as far as half its own length at least: a block
// that is much shorter says little of a long one's slope. Of the first and the last block: the block itself.
Neighbourhood beside(const std::vector<CostBlock>& blocks, std::size_t number, std::ptrdiff_t step) {
  const double enough = (blocks[number].end - blocks[number].begin) / 2;
  double length = 0;
  double cost = 0;
  double moment = 0;
  const auto end = step < 0 ? -1 : static_cast<std::ptrdiff_t>(blocks.size());
  auto at = static_cast<std::ptrdiff_t>(number);
  do {
    if (at + step != end) at += step;
    const CostBlock& block = blocks[static_cast<std::size_t>(at)];
    const double own = block.end - block.begin;
    length += own;
    cost += block.cost;
    moment += own * (block.begin + block.end) / 2;
  } while (length < enough && at + step != end);
  return {cost / length, moment / length};
}

}  // namespace

void LoopCost::add(double begin, double end, double cost) {
  begin = std::clamp(begin, 0.0, iterations_);
  end = std::clamp(end, 0.0, iterations_);
  if (end <= begin) {  // it claims iterations that the loop does not have
    begin = 0;
    end = iterations_;
  }
  if (!(end > begin) || !(cost > 0)) return;
  const double density = cost / (end - begin);
  steps_.push_back({begin, density, 0});
  steps_.push_back({end, -density, 0});
}

void LoopCost::add_blocks(std::vector<CostBlock> blocks) {
  std::erase_if(blocks, [](const CostBlock& block) { return !(block.end > block.begin); });
  std::sort(blocks.begin(), blocks.end(), [](const CostBlock& a, const CostBlock& b) { return a.begin < b.begin; });
  const double most_parts = std::clamp(kMostParts / static_cast<double>(blocks.size()), 1.0, kPartsOfBlock);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const CostBlock& block = blocks[i];
    const double length = block.end - block.begin;
    const Neighbourhood left = beside(blocks, i, -1);
    const Neighbourhood right = beside(blocks, i, 1);
    // In a damaged trace blocks may lie on each other.
    const double apart = right.middle - left.middle;
    const double rise = apart > 0 ? (right.mean - left.mean) / apart * length : 0;
    // No iteration costs less than nothing.
    const double mean = block.cost / length;
    const double bounded = std::clamp(rise, -2 * mean, 2 * mean);
    // An iteration is not parted.
    const double parts = std::floor(std::clamp(length, 1.0, most_parts));
    for (double part = 0; part < parts; ++part) {
      const double from = block.begin + length * part / parts;
      const double density = mean + bounded * ((part + 0.5) / parts - 0.5);
      add(from, from + length / parts, density * length / parts);
    }
  }
}

void LoopCost::finish() {
  std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) { return a.at < b.at; });
  double density = 0;
  double cost = 0;
  double at = 0;
  for (Step& step : steps_) {
    cost += std::max(0.0, density) * (step.at - at);
    at = step.at;
    density += step.density;
    step.before = cost;
    step.density = std::max(0.0, density);
  }
}

double LoopCost::before(double iteration) const noexcept {
  const auto next = std::ranges::upper_bound(steps_, iteration, {}, &Step::at);
  if (next == steps_.begin()) return 0;
  const Step& step = *std::prev(next);
  return step.before + step.density * (iteration - step.at);
}

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
