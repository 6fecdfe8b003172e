// SPDX-License-Identifier: Apache-2.0
// The generalized lambda distribution in two forms, its order statistics, and all of its fits to four moments. Thread
// safe.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "foretask/analysis/moments.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// RS (Ramberg and Schmeiser 1974; Gautama and van Gemund eq. 6): Q(u) = l1 + (u^l3 - (1-u)^l4) / l2.
// FKML (Freimer et al. 1988): Q(u) = l1 + ((u^l3 - 1)/l3 - ((1-u)^l4 - 1)/l4) / l2, with the limits at l3, l4 = 0.
enum class LambdaForm : std::uint8_t { kRs, kFkml };

struct GeneralizedLambda {
  LambdaForm form = LambdaForm::kRs;
  double l1 = 0;
  double l2 = 1;
  double l3 = 0;
  double l4 = 0;

  // Whether Q increases over (0, 1). The limits of RS at l3 = 0 or l4 = 0 with l2 -> 0 belong to FKML. RS close to them
  // (l2 = l4 = 1e-9) is evaluated without cancellation.
  [[nodiscard]] bool valid() const noexcept;
  // u in (0, 1). `upper` is 1 - u: it keeps the digits of a u near 1.
  [[nodiscard]] double quantile(double u) const noexcept { return quantile(u, 1 - u); }
  [[nodiscard]] double quantile(double u, double upper) const noexcept;
  [[nodiscard]] double pdf_at(double u) const noexcept {
    return pdf_at(u, 1 - u);
  }  // 1 / Q'(u); Gautama and van Gemund eq. 7
  [[nodiscard]] double pdf_at(double u, double upper) const noexcept;
  [[nodiscard]] double cdf(double x) const noexcept;  // to 1e-14; 0 and 1 outside of the support
  // The same over z = log(u / (1 - u)), where both tails keep all digits. z of -infinity and infinity are the ends of
  // the support. log_odds() takes some us: Newton's method within a bracket.
  [[nodiscard]] double quantile_at_log_odds(double z) const noexcept;
  [[nodiscard]] double log_odds(double x) const noexcept;
  [[nodiscard]] double lowest() const noexcept;  // of the support; may be infinite
  [[nodiscard]] double highest() const noexcept;

  // E[Y], ..., E[Y^4] of the rank-th of n (eq. 8, 10, 12), by quadrature: to 1e-10 for n up to 1e9. NaN where a moment
  // does not exist. Errors: a rank not from 1 to n, not valid().
  [[nodiscard]] Result<std::array<double, 4>> order_moments(std::uint64_t rank, std::uint64_t n) const;
};

struct LambdaFit {
  GeneralizedLambda lambda;
  double residual = 0;  // largest deviation: of the skewness, or of the kurtosis relative to it
  bool limit = false;   // on the border of the form: one exponent is 0
};

// All valid() distributions of `form` with these moments within 1e-9, those with l3 and l4 nearest 0 first; may be
// none. Some ms. Errors: moments that no distribution has (kurtosis < skewness^2 + 1) or not finite, no variance.
[[nodiscard]] Result<std::vector<LambdaFit>> lambda_fits(const Moments& moments, LambdaForm form);

// Of the fits of both forms, the one with its quantile function nearest to the values `sorted` (least squares); without
// values the one nearest 0. Errors: lambda_fits()'s, no fit.
[[nodiscard]] Result<LambdaFit> best_lambda(const Moments& moments, const std::vector<double>& sorted = {});

}  // namespace foretask::analysis
