// SPDX-License-Identifier: Apache-2.0
// How much longer what waits for memory takes when p workers do so at once: Parallel Prophet's memory model (Kim,
// Kumar, Kim and Brett, IPDPS 2012), with the machine's bandwidth measured in the place of its assumed latencies.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace foretask::predict {

struct MemorySlowdown {
  std::vector<double> bandwidth;  // bytes per second of 1, 2, ... threads together; at least one, above 0

  // Time of a memory-bound task among p over that alone, at least 1. The bandwidth of the most threads is that of any
  // more.
  [[nodiscard]] double at(double p) const {
    const auto known = std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(p)), 1, bandwidth.size());
    return std::max(1.0, p * bandwidth.front() / bandwidth[known - 1]);
  }

  // Of `work` ns in which so many bytes come from memory, how much they take at least, at one thread's bandwidth.
  [[nodiscard]] double share(double bytes, double work) const {
    return std::clamp(1e9 * bytes / bandwidth.front() / work, 0.0, 1.0);
  }
};

}  // namespace foretask::predict
