// SPDX-License-Identifier: Apache-2.0
// Moments of known families where a formula has them to the last digits. Pure, thread safe.
#pragma once

#include <optional>

#include "distribution/family/cumulants.hpp"
#include "distribution/family/known_family.hpp"

namespace foretask::distribution {

// Of make_family(family, a, b). Empty where the formula cancels: a Weibull's, which quadrature has.
[[nodiscard]] std::optional<Cumulants> family_cumulants(Family family, double a, double b) noexcept;

}  // namespace foretask::distribution
