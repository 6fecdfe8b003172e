// SPDX-License-Identifier: Apache-2.0
// HOT: exp and log over arrays, in a form that compilers turn into vector code on any x86-64. No libm call, no branch.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace foretask::distribution {

// exp(x) to 2e-13 of itself; x in [-708, 700].
[[nodiscard]] inline double quick_exp(double x) noexcept {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
  const double shifted = x * 1.4426950408889634 + kRound;
  const double k = shifted - kRound;
  const double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
  double p = 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52U));
}

// log(x) to 1e-12; x normal and above 0.
[[nodiscard]] inline double quick_log(double x) noexcept {
  constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCDU;
  constexpr std::uint64_t kTwo52 = 0x4330000000000000U;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t power = (bits - kRootHalf + (std::uint64_t{1024} << 52U)) >> 52U;  // 1024 too large
  const double exponent = std::bit_cast<double>(power + kTwo52) - (4503599627370496.0 + 1024);
  const double m = std::bit_cast<double>(bits - ((power - 1024) << 52U));
  const double t = (m - 1) / (m + 1);
  const double t2 = t * t;
  double p = 2.0 / 17;
  p = p * t2 + 2.0 / 15;
  p = p * t2 + 2.0 / 13;
  p = p * t2 + 2.0 / 11;
  p = p * t2 + 2.0 / 9;
  p = p * t2 + 2.0 / 7;
  p = p * t2 + 2.0 / 5;
  p = p * t2 + 2.0 / 3;
  p = p * t2 + 2.0;
  return exponent * 0.6931471805599453 + t * p;
}

}  // namespace foretask::distribution
