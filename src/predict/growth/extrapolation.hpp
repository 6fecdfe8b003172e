// SPDX-License-Identifier: Apache-2.0
// Numbers of tasks and times at another n, from a handful of earlier runs: exactly as recorded where n was run before,
// by a rule where too few sizes are known for their law of growth (growth_law.hpp). Cold; pure functions.
#pragma once

#include <vector>

namespace foretask::predict {

struct GrowthPoint {
  double n = 0;
  double value = 0;   // 0 or more
  double weight = 1;  // above 0; of a time: what it was measured over
};

struct Extrapolation {
  double value = 0;
  double log_sd = 0;         // standard deviation of its logarithm
  bool is_recorded = false;  // this n was run
};

// How many tasks there are at another n; a kernel's is mostly an exact function of n. Of one size known: as n grows,
// else by their law.
[[nodiscard]] Extrapolation extrapolate_tasks(const std::vector<GrowthPoint>& points, double n);

// A time at another n, measured with its disturbances: of up to three sizes a power of n through all of them, or a
// constant and a multiple of n, n^2 or n^3 where that is clearly nearer; of more by that and their law, the surer
// counting for more. The middle one where n was run.
[[nodiscard]] Extrapolation extrapolate_time(const std::vector<GrowthPoint>& points, double n);

}  // namespace foretask::predict
