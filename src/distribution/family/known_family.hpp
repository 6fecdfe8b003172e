// SPDX-License-Identifier: Apache-2.0
// The known families as distributions, both tails to full relative precision.
#pragma once

#include <cstdint>

#include "distribution/family/univariate.hpp"
#include "foretask/analysis/gaussian_mixture.hpp"
#include "foretask/analysis/generalized_lambda.hpp"

namespace foretask::distribution {

enum class Family : std::uint8_t { constant, uniform, exponential, normal, lognormal, gamma, weibull, beta };

// The parameters of analysis::Distribution's functions, checked before: constant(a), uniform(a, b), exponential(mean
// a), normal(mean a, sd b), lognormal(mu a, sigma b), gamma(shape a, scale b), weibull(shape a, scale b), beta(a, b).
[[nodiscard]] UnivariatePtr make_family(Family family, double a, double b = 0);

// A generalized lambda distribution, a mixture of normal ones, and any distribution moved along, as distributions.
[[nodiscard]] UnivariatePtr lambda_distribution(const analysis::GeneralizedLambda& lambda);  // valid()
[[nodiscard]] UnivariatePtr mixture_distribution(const analysis::GaussianMixture& mixture);  // one part at least
[[nodiscard]] UnivariatePtr shifted(UnivariatePtr dist, double by);                          // X + by

// Of the standard normal distribution over log odds and over probabilities, all digits in both tails; pure:
// P(T > t), at any t.
[[nodiscard]] double normal_tail(double t) noexcept;
// t >= 0 with P(T > t) = `probability`, which is at most 1/2.
[[nodiscard]] double normal_tail_quantile(double probability) noexcept;

// t with log odds z of P(T <= t), infinite ones too.
[[nodiscard]] double normal_quantile(double z) noexcept;

}  // namespace foretask::distribution
