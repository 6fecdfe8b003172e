// SPDX-License-Identifier: Apache-2.0
// log |gamma(x)| for any number of threads at once: std::lgamma() writes the global `signgam`.
#pragma once

#include <math.h>  // lgamma_r() is POSIX, not C++

namespace foretask::distribution {

[[nodiscard]] inline double log_gamma(double x) noexcept {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace foretask::distribution
