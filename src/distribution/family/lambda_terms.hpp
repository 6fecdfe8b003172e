// SPDX-License-Identifier: Apache-2.0
// A probability by the logarithms of itself and of its complement, and the two terms of a generalized lambda quantile
// function over them. Nothing here cancels, however small the exponent or far out the probability.
#pragma once

#include <cmath>

#include "distribution/family/log_odds.hpp"
#include "foretask/analysis/generalized_lambda.hpp"

namespace foretask::distribution {

struct LogOdds {
  double u = 0;      // log(u)
  double upper = 0;  // log(1 - u)

  [[nodiscard]] static LogOdds of(double z) noexcept { return {log_lower(z), log_upper(z)}; }
};

// v^exponent for log(v).
[[nodiscard]] inline double power(double log_v, double exponent) noexcept {
  return exponent == 0 ? 1 : std::exp(exponent * log_v);
}

// v^exponent - 1 (RS) and (v^exponent - 1) / exponent (FKML, log(v) at 0), both without cancellation.
[[nodiscard]] inline double lambda_term(analysis::LambdaForm form, double log_v, double exponent) noexcept {
  if (exponent == 0) return form == analysis::LambdaForm::kRs ? 0 : log_v;
  const double grown = std::expm1(exponent * log_v);
  return form == analysis::LambdaForm::kRs ? grown : grown / exponent;
}

[[nodiscard]] double lambda_quantile(const analysis::GeneralizedLambda& lambda, const LogOdds& at) noexcept;

}  // namespace foretask::distribution
