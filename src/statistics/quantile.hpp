// SPDX-License-Identifier: Apache-2.0
// Quantiles of a sample, all of one kind: linear between the sorted values (Hyndman and Fan 1996, type 7: R's and
// NumPy's default). `share` is in [0, 1]. Infinite where one of the two values is and they differ, or both are. Any
// thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace foretask::statistics {

// Of at least one value, in ascending order. A few operations.
[[nodiscard]] inline double sorted_quantile(std::span<const double> sorted, double share) noexcept {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  if (sorted[below] == sorted[above]) return sorted[below];
  const double part = place - static_cast<double>(below);
  return part == 0 ? sorted[below] : sorted[below] + part * (sorted[above] - sorted[below]);
}

// Of values in any order, which it moves; 0 of none. O(values), and no allocation.
[[nodiscard]] double quantile_in_place(std::span<double> values, double share) noexcept;

// Of a copy.
[[nodiscard]] double quantile(std::vector<double> values, double share);
[[nodiscard]] double median(std::vector<double> values);

// The standard deviation of a normal distribution with this median of absolute values: not moved by outliers.
[[nodiscard]] double robust_scale(std::vector<double> residuals);

}  // namespace foretask::statistics
