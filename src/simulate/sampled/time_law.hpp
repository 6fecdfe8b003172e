// SPDX-License-Identifier: Apache-2.0
// What a task's time may be in a run to come, given the times of n tasks like it: a continuous law through them, after
// the mixed empirical and exponential one of Bratley, Fox and Schrage (A Guide to Simulation, 1987, 5.2.4).
// docs/makespans.md, "Times beyond the recorded ones".
#pragma once

#include <cstdint>
#include <span>

namespace foretask::simulate {

// Each of the n + 1 gaps that n times leave has 1 / (n + 1), as the next of n + 1 exchangeable times has. Linear
// between the recorded times; beyond the longest exponential, with the mean excess of the longest ones; below the
// shortest as wide as the gap above it, and never below 0. What is above the shortest is then scaled so that the mean
// is the recorded one.
class TimeLaw {
 public:
  TimeLaw() = default;
  // `sorted`: in ascending order, at least 2, none negative. O(n).
  explicit TimeLaw(std::span<const double> sorted);

  struct Drawn {
    double time = 0;
    std::uint32_t nearest = 0;  // index of the recorded time whose task stands in: above 0, where `time` is
  };
  // HOT: the quantile of place / (n + 1), for `place` in (0, n + 1) and the times it was made of. Rises with `place`.
  [[nodiscard]] Drawn at(std::span<const double> sorted, double place) const noexcept;

 private:
  double scale_ = 1;
  double beyond_ = 0;  // mean excess over the longest, scaled
  double below_ = 0;   // width of the gap below the shortest
};

}  // namespace foretask::simulate
