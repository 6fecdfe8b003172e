// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/loop_cost.hpp"

#include <algorithm>

namespace foretask::simulate {

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
  constexpr int kParts = 32;  // even parts of a block that stand for its slope
  std::erase_if(blocks, [](const CostBlock& block) { return !(block.end > block.begin); });
  std::sort(blocks.begin(), blocks.end(), [](const CostBlock& a, const CostBlock& b) { return a.begin < b.begin; });
  const auto mean = [&](std::size_t i) { return blocks[i].cost / (blocks[i].end - blocks[i].begin); };
  const auto middle = [&](std::size_t i) { return (blocks[i].begin + blocks[i].end) / 2; };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const CostBlock& block = blocks[i];
    const std::size_t left = i == 0 ? i : i - 1;
    const std::size_t right = i + 1 == blocks.size() ? i : i + 1;
    const double length = block.end - block.begin;
    // In a damaged trace blocks may lie on each other.
    const double apart = middle(right) - middle(left);
    const double rise = apart > 0 ? (mean(right) - mean(left)) / apart * length : 0;
    // No iteration costs less than nothing.
    const double bounded = std::clamp(rise, -2 * mean(i), 2 * mean(i));
    for (int part = 0; part < kParts; ++part) {
      const double from = block.begin + length * part / kParts;
      const double density = mean(i) + bounded * ((part + 0.5) / kParts - 0.5);
      add(from, from + length / kParts, density * length / kParts);
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
  const auto next = std::upper_bound(steps_.begin(), steps_.end(), iteration,
                                     [](double value, const Step& step) { return value < step.at; });
  if (next == steps_.begin()) return 0;
  const Step& step = *std::prev(next);
  return step.before + step.density * (iteration - step.at);
}

}  // namespace foretask::simulate
