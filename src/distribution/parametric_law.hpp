// SPDX-License-Identifier: Apache-2.0
// A generalized lambda distribution, a mixture of normal ones, and any law moved along, as laws.
#pragma once

#include "distribution/law.hpp"
#include "foretask/analysis/gaussian_mixture.hpp"
#include "foretask/analysis/generalized_lambda.hpp"

namespace foretask::distribution {

[[nodiscard]] LawPtr lambda_law(const analysis::GeneralizedLambda& lambda);  // valid()
[[nodiscard]] LawPtr mixture_law(const analysis::GaussianMixture& mixture);  // one part at least
[[nodiscard]] LawPtr moved_law(LawPtr law, double by);                       // X + by

}  // namespace foretask::distribution
