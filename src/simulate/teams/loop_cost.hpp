// SPDX-License-Identifier: Apache-2.0
// What the iterations of one execution of a loop cost: piecewise even over their numbers, as the recorded chunks say.
#pragma once

#include <cstdint>
#include <vector>

namespace foretask::simulate {

// What iterations begin <= i < end cost together.
struct CostBlock {
  double begin = 0;
  double end = 0;
  double cost = 0;
};

class LoopCost {
 public:
  // Of iterations 0 to iterations - 1.
  explicit LoopCost(double iterations) : iterations_(iterations) {}

  // `cost` spread evenly over begin <= i < end, cut at the loop's ends.
  void add(double begin, double end, double cost);
  // Blocks of some length that do not overlap, in any order: within each, the cost of an iteration rises or falls as
  // from its left neighbours to its right ones, so that costs which grow evenly over the loop are found from two
  // blocks. Neighbours shorter than half a block count together: one alone says little of its slope.
  void add_blocks(std::vector<CostBlock> blocks);
  // After the last add(), before the first before().
  void finish();

  // What the iterations below `iteration` cost together, in the unit of add(). O(log pieces).
  [[nodiscard]] double before(double iteration) const noexcept;
  [[nodiscard]] double iterations() const noexcept { return iterations_; }

 private:
  struct Step {
    double at = 0;       // from this iteration on
    double density = 0;  // changes by; after finish(), is
    double before = 0;   // after finish(): the cost of all below `at`
  };

  double iterations_;
  std::vector<Step> steps_;
};

}  // namespace foretask::simulate
