// SPDX-License-Identifier: Apache-2.0
// HOT: exp over arrays, in a form that compilers turn into vector code on any x86-64. No libm call, no branch.
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

}  // namespace foretask::distribution
