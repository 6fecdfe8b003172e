// SPDX-License-Identifier: Apache-2.0
// Between a probability F and its log odds z = log(F / (1 - F)), with all digits in both tails. For every z, infinite
// ones as well. Pure, thread safe.
#pragma once

#include <cmath>
#include <limits>

namespace foretask::distribution {

// log F and log(1 - F).
[[nodiscard]] inline double log_lower(double z) noexcept {
  return z < 0 ? z - std::log1p(std::exp(z)) : -std::log1p(std::exp(-z));
}
[[nodiscard]] inline double log_upper(double z) noexcept { return log_lower(-z); }

// F and 1 - F.
[[nodiscard]] inline double lower(double z) noexcept {
  if (z >= 0) return 1 / (1 + std::exp(-z));
  const double odds = std::exp(z);
  return odds / (1 + odds);
}
[[nodiscard]] inline double upper(double z) noexcept { return lower(-z); }

// dF/dz = F (1 - F).
[[nodiscard]] inline double weight(double z) noexcept {
  const double odds = std::exp(-std::fabs(z));
  return odds / ((1 + odds) * (1 + odds));
}

// Of log F, and of log(1 - F); each at most 0.
[[nodiscard]] inline double z_of_log_lower(double log_f) noexcept {
  if (log_f >= 0) return std::numeric_limits<double>::infinity();
  // log(1 - F) by the form that keeps its digits.
  const double log_rest = log_f > -0.6931471805599453 ? std::log(-std::expm1(log_f)) : std::log1p(-std::exp(log_f));
  return log_f - log_rest;
}
[[nodiscard]] inline double z_of_log_upper(double log_rest) noexcept { return -z_of_log_lower(log_rest); }

// Of F and 1 - F, both known by themselves; multiples of them will do (weights of samples below and above).
[[nodiscard]] inline double z_of(double f, double rest) noexcept {
  if (!(f > 0)) return -std::numeric_limits<double>::infinity();
  if (!(rest > 0)) return std::numeric_limits<double>::infinity();
  return f <= 2 * rest && rest <= 2 * f ? std::log1p((f - rest) / rest) : std::log(f) - std::log(rest);
}

// F(to) - F(from), from <= to: a product, so that nothing cancels but to - from.
[[nodiscard]] inline double mass_between(double from, double to) noexcept {
  return from < to ? -std::expm1(from - to) * lower(to) * upper(from) : 0.0;
}

}  // namespace foretask::distribution
