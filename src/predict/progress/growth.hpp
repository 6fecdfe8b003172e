// SPDX-License-Identifier: Apache-2.0
// Numbers of tasks and times at another n, from a handful of earlier runs: exactly as recorded where n was run before,
// by a rule where few sizes are known, by their laws of growth where there are more. Cold; pure functions.
#pragma once

#include <vector>

namespace foretask::predict {

struct GrowthPoint {
  double n = 0;
  double value = 0;   // 0 or more
  double weight = 1;  // above 0; of a time: what it was measured over
};

struct Grown {
  double value = 0;
  double spread = 0;   // standard deviation of its logarithm
  bool exact = false;  // this n was run
};

// How many tasks there are at another n; a kernel's is mostly an exact function of n. Of one size known: as n grows. Of
// two: a power of n. Of three: that or an exponential function, whichever says better what the largest (below the
// smallest: the smallest) is from the others. Of more: by their law (growth_law.hpp).
[[nodiscard]] Grown grow_tasks(const std::vector<GrowthPoint>& points, double n);

// A time at another n, measured with its disturbances: of up to three sizes a power of n through all of them, or a
// constant and a multiple of n, n^2 or n^3 where that is clearly nearer; of more by that and their law, the surer
// counting for more. The middle one where n was run.
[[nodiscard]] Grown grow_time(const std::vector<GrowthPoint>& points, double n);

}  // namespace foretask::predict
