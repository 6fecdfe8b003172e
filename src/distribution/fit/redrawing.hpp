// SPDX-License-Identifier: Apache-2.0
// The same measured times as they might have come out as well.
#pragma once

#include "distribution/fit/leaf_plan.hpp"
#include "statistics/random.hpp"

namespace foretask::distribution {

// As many samples drawn anew, as the plan says.
[[nodiscard]] SampleSet redrawn(const SampleData& data, const LeafPlan& plan, statistics::Random& random);

}  // namespace foretask::distribution
