// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distribution/family/univariate.hpp"
#include "foretask/analysis/moments.hpp"

namespace foretask::distribution {

// Two normal parts of one standard deviation, or two values, with these four moments; null where there are none such.
// Thread safe.
[[nodiscard]] UnivariatePtr two_parts(const analysis::Moments& moments);

}  // namespace foretask::distribution
