// SPDX-License-Identifier: Apache-2.0
// The search for laws of growth (growth_law.hpp).
#pragma once

#include <vector>

#include "predict/growth/growth_form.hpp"
#include "predict/growth/size_misfit.hpp"

namespace foretask::predict {

// All laws that count, with weights that sum up to 1, most first; none where no law explains the levels. Levels by n,
// rising, each n once.
[[nodiscard]] std::vector<GrowthForm> find_growth_forms(const std::vector<SizeLevel>& levels, bool is_count);

}  // namespace foretask::predict
