// SPDX-License-Identifier: Apache-2.0
// One execution of a kernel: its parameters, as many as the kernel has, and its time.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace foretask::model {

inline constexpr std::size_t kMaxParameters = 8;

using Parameters = std::span<const double>;

// x * 0 is 0 for every finite number and NaN for others.
[[nodiscard]] inline bool all_finite(Parameters values) noexcept {
  double sum = 0;
  for (const double value : values) sum += value * 0;
  return sum == 0;
}

struct Observation {
  std::array<double, kMaxParameters> parameters{};
  double time = 0;

  [[nodiscard]] Parameters of(std::size_t count) const noexcept { return Parameters(parameters).first(count); }
};

}  // namespace foretask::model
