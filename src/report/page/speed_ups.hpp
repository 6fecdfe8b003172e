// SPDX-License-Identifier: Apache-2.0
// Replays of a run on several numbers of cores, as it is and with faster kernels: what the page's curves and its slider
// show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foretask::report {

// One number of cores.
struct SpeedUpPoint {
  std::uint32_t cores = 1;
  std::int64_t makespan_ns = 0;
  std::int64_t lowest_ns = 0;  // of several replays
  std::int64_t highest_ns = 0;
};

struct SpeedUps {
  std::vector<SpeedUpPoint> points;        // fewest cores first; empty: nothing was replayed
  std::string reason;                      // why nothing was, or no kernel is faster; a sentence
  std::string how;                         // the policy, and how often, in words
  std::string band;                        // what is between the lowest and the highest; empty: all of these replays
  std::vector<std::uint32_t> kernels;      // indices into the report's kernels, most work first
  std::vector<double> factors;             // ascending
  std::vector<std::int64_t> makespans_ns;  // by kernel, factor and number of cores
  [[nodiscard]] std::int64_t makespan_ns(std::size_t kernel, std::size_t factor, std::size_t point) const {
    return makespans_ns[(kernel * factors.size() + factor) * points.size() + point];
  }
};

}  // namespace foretask::report
