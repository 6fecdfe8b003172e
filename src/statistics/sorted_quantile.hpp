// SPDX-License-Identifier: Apache-2.0
// Quantiles of a sample.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace foretask::statistics {

// Linear between the sorted values (Hyndman and Fan 1996, type 7), of at least one. `share` in [0, 1]. Infinite where
// one of the two values is and they differ, or both are.
[[nodiscard]] inline double sorted_quantile(std::span<const double> sorted, double share) noexcept {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  if (sorted[below] == sorted[above]) return sorted[below];
  const double part = place - static_cast<double>(below);
  return part == 0 ? sorted[below] : sorted[below] + part * (sorted[above] - sorted[below]);
}

}  // namespace foretask::statistics
