// SPDX-License-Identifier: Apache-2.0
// How far beyond the recorded numbers of workers what was fitted to them is believed.
#pragma once

#include <algorithm>
#include <vector>

namespace foretask::predict {

// With two or more numbers of workers above one: as far again, in octaves, as the most are above one worker. A single
// number above one does not show how anything grows with p: any formula would go through it.
[[nodiscard]] inline double worker_reach(std::vector<double> workers) {
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  const auto several = std::count_if(workers.begin(), workers.end(), [](double p) { return p > 1; });
  const double most = workers.empty() ? 1.0 : std::max(1.0, workers.back());
  return several >= 2 ? most * most : most;
}

}  // namespace foretask::predict
