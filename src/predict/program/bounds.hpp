// SPDX-License-Identifier: Apache-2.0
// What the work T1 and the span of a program say of its time on p workers. Equations of Namsraijav and Taura,
// "Performance Modeling of Task Parallel Programs". Any thread.
#pragma once

#include <algorithm>
#include <limits>

namespace foretask::predict {

// 2 delta of eq. 4 with Cilkview's delta = 0.85: He, Leiserson and Leiserson, "The Cilkview scalability analyzer",
// SPAA 2010.
inline constexpr double kBurdenedSpanFactor = 1.7;

// Work law (eq. 1) and span law (eq. 2): the larger of work / p and span. A span of 0 is not known.
[[nodiscard]] inline double lower_bound(double work, double span, double p) { return std::max(work / p, span); }

// Eq. 4: work / p + 1.7 burdened_span; work over this is the least speedup of eq. 5. `burdened_span`: the longest path
// with the burden of its edges. NaN where it is 0, not known.
[[nodiscard]] inline double upper_bound(double work, double burdened_span, double p) {
  if (!(burdened_span > 0)) return std::numeric_limits<double>::quiet_NaN();
  return work / p + kBurdenedSpanFactor * burdened_span;
}

// A greedy schedule without delay takes no less than lower_bound() and no more than work / p + span (p - 1) / p (Brent,
// J. ACM 1974).
struct GreedyTimes {
  double least;
  double most;
  GreedyTimes(double work, double span, double p)
      : least(lower_bound(work, span, p)), most(std::max(work / p + span * (p - 1) / p, least)) {}
};

}  // namespace foretask::predict
