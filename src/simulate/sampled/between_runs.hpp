// SPDX-License-Identifier: Apache-2.0
// Sampled makespans of one run, spread as several measured runs are: docs/makespans.md, "Other recordings".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/makespan.hpp"

namespace foretask::simulate {

class BetweenRuns {
 public:
  // `seed`: of the factors. spread.runs >= 2.
  BetweenRuns(const analysis::RunSpread& spread, std::uint64_t seed, std::uint32_t samples);

  // The makespans of samples 0, 1, ... of one scenario on one number of cores: their logarithms' distances from their
  // mean, and a distance that all of a sample's makespans share, become those of one more run beside so many others.
  // Infinite or 0 where the makespan is. O(samples).
  void spread(std::span<double> makespans_ns, std::uint32_t cores) const;

 private:
  struct Sample {
    double drawn = 1;  // what the logarithm's distance is multiplied by
    double shared = 0;
  };
  std::vector<Sample> samples_;
  double shift_ = 0;
  std::uint32_t workers_ = 1;
};

// What drawn times leave of the spread between runs, as a standard deviation of the logarithm.
[[nodiscard]] double beside_drawn_times(const analysis::RunSpread& spread) noexcept;

}  // namespace foretask::simulate
