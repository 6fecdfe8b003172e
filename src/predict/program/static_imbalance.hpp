// SPDX-License-Identifier: Apache-2.0
// What static loops of uneven iterations wait beyond a greedy schedule, as a share of the work.
#pragma once

#include <map>
#include <span>

#include "predict/program/program_cells.hpp"

namespace foretask::predict {

class StaticImbalance {
 public:
  struct Share {
    double share = 0;
    double sd = 0;
  };

  StaticImbalance() = default;
  // From cells of sizes from `from` on, whose span is known. For programs without tasks.
  StaticImbalance(std::span<const ProgramCell> cells, double from);

  // On other numbers of workers than the recorded ones it goes with (p - 1) / p, as where the cost of iterations rises
  // or falls evenly.
  [[nodiscard]] Share at(double p) const;

  [[nodiscard]] double most_workers() const { return by_workers_.empty() ? 1 : by_workers_.rbegin()->first; }

 private:
  std::map<double, Share> by_workers_;  // the recorded numbers of them
};

}  // namespace foretask::predict
