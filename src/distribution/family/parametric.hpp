// SPDX-License-Identifier: Apache-2.0
// A generalized lambda distribution, a mixture of normal ones, and any distribution moved along, as distributions.
#pragma once

#include "distribution/family/univariate.hpp"
#include "foretask/analysis/gaussian_mixture.hpp"
#include "foretask/analysis/generalized_lambda.hpp"

namespace foretask::distribution {

[[nodiscard]] UnivariatePtr lambda_distribution(const analysis::GeneralizedLambda& lambda);  // valid()
[[nodiscard]] UnivariatePtr mixture_distribution(const analysis::GaussianMixture& mixture);  // one part at least
[[nodiscard]] UnivariatePtr shifted(UnivariatePtr dist, double by);                          // X + by

}  // namespace foretask::distribution
