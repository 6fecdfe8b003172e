// SPDX-License-Identifier: Apache-2.0
// Laws that hold for the largest sizes only: how many of them are looked at, and what leaving the others out costs.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace foretask::predict {

// What is left out counts as missed by two standard deviations.
inline constexpr double kLeftOutMiss = 4;

// How many samples the noise's standard deviation, seen in other runs (noise_levels.hpp) or guessed, is worth.
inline constexpr double kNoiseSamples = 4;

// Numbers of largest sizes: all of `sizes`, then fewer and fewer, `fewest` at least.
[[nodiscard]] inline std::vector<std::size_t> size_windows(std::size_t sizes, std::size_t fewest) {
  static constexpr std::array kShares{0.85, 0.7, 0.6, 0.5, 0.42, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1};
  std::vector<std::size_t> windows{sizes};
  for (const double share : kShares) {
    const auto window = static_cast<std::size_t>(std::lround(share * static_cast<double>(sizes)));
    if (window >= fewest && window < windows.back()) windows.push_back(window);
  }
  return windows;
}

// -2 log likelihood, but for a constant, of residuals in units of their standard deviation: Student's t with
// kNoiseSamples degrees of freedom, jointly. `misses` is their sum of squares; of `rows` in all `left_out` are not
// looked at.
[[nodiscard]] inline double window_score(double misses, std::size_t rows, std::size_t left_out) {
  const double all = misses + kLeftOutMiss * static_cast<double>(left_out);
  return (kNoiseSamples + static_cast<double>(rows)) * std::log1p(all / kNoiseSamples);
}

}  // namespace foretask::predict
