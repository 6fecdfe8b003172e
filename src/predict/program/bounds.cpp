// SPDX-License-Identifier: Apache-2.0
#include "predict/program/bounds.hpp"

#include <algorithm>
#include <limits>

namespace foretask::predict {

double lower_bound(double work, double span, double p) { return std::max(work / p, span); }

double upper_bound(double work, double burdened_span, double p) {
  if (!(burdened_span > 0)) return std::numeric_limits<double>::quiet_NaN();
  return work / p + kBurdenedSpanFactor * burdened_span;
}

GreedyTimes::GreedyTimes(double work, double span, double p)
    : least(lower_bound(work, span, p)), most(std::max(work / p + span * (p - 1) / p, least)) {}

}  // namespace foretask::predict
