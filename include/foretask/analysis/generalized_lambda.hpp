// SPDX-License-Identifier: Apache-2.0
// The generalized lambda distribution in its two forms, with its order statistics, and all the ways to have four given
// moments.
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

  // Whether Q increases over all of (0, 1). RS with l3 = 0 or l4 = 0 and l2 -> 0 are limits, which FKML has; an RS
  // distribution near them (l2 = l4 = 1e-9) is evaluated without cancellation.
  [[nodiscard]] bool valid() const noexcept;
  // u in (0, 1). `upper` is 1 - u, for u so near 1 that it must be known by itself.
  [[nodiscard]] double quantile(double u) const noexcept { return quantile(u, 1 - u); }
  [[nodiscard]] double quantile(double u, double upper) const noexcept;
  [[nodiscard]] double pdf_at(double u) const noexcept { return pdf_at(u, 1 - u); }  // 1 / Q'(u); eq. 7
  [[nodiscard]] double pdf_at(double u, double upper) const noexcept;
  [[nodiscard]] double cdf(double x) const noexcept;  // to 1e-14; 0 and 1 outside of the support
  // The same over z = log(u / (1 - u)), in which both tails keep all their digits; at -infinity and infinity the ends
  // of the support. log_odds() inverts by Newton's method within a bracket, some microseconds.
  [[nodiscard]] double quantile_at_log_odds(double z) const noexcept;
  [[nodiscard]] double log_odds(double x) const noexcept;
  [[nodiscard]] double lowest() const noexcept;  // of the support; may be infinite
  [[nodiscard]] double highest() const noexcept;

  // E[Y], ..., E[Y^4] of the rank-th of n (eq. 8, 10, 12), by quadrature: to 1e-10 for every n up to 1e9. NaN where
  // there is no such moment. Errors: rank 0 or above n, not valid().
  [[nodiscard]] Result<std::array<double, 4>> order_moments(std::uint64_t rank, std::uint64_t n) const;
};

struct LambdaFit {
  GeneralizedLambda lambda;
  double residual = 0;  // largest deviation of skewness and kurtosis
  bool limit = false;   // on the border of the form: one of its exponents is 0
};

// Every distribution of `form` with these moments, those with l3 and l4 nearest 0 first; none for moments that none
// has. Each is valid() and has the moments within 1e-9. Some ms. Errors: moments that no distribution has at all
// (kurtosis < skewness^2 + 1), no spread.
[[nodiscard]] Result<std::vector<LambdaFit>> lambda_fits(const Moments& moments, LambdaForm form);

// Of the fits of both forms the one whose quantile function is nearest to the samples (least squares, over `sorted`
// values); without samples that nearest 0. Errors: lambda_fits()'s, and where there is no fit.
[[nodiscard]] Result<LambdaFit> best_lambda(const Moments& moments, const std::vector<double>& sorted = {});

}  // namespace foretask::analysis
