// SPDX-License-Identifier: Apache-2.0
// What fitted laws, by size and by workers, have in common: what they say, the noise that they take for granted, and
// the windows of largest sizes that they are held against.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace foretask::predict {

// What a law says of a positive quantity, and two such estimates as one. Any thread.
struct LogEstimate {
  double value = 0;
  double log_sd = 0;  // standard deviation of its logarithm
};

// Of values above 0: their mean by logarithms, the surer one counting for more, none as surer than `surest`; the spread
// of the mixture of both, so that what they disagree by is in it.
[[nodiscard]] inline LogEstimate joined(const LogEstimate& a, const LogEstimate& b, double surest) {
  const auto weight_of = [surest](const LogEstimate& one) { return 1 / (one.log_sd * one.log_sd + surest * surest); };
  const double share = weight_of(a) / (weight_of(a) + weight_of(b));
  const double apart = std::log(a.value / b.value);
  const double variance =
      share * a.log_sd * a.log_sd + (1 - share) * b.log_sd * b.log_sd + share * (1 - share) * apart * apart;
  return {b.value * std::exp(share * apart), std::sqrt(variance)};
}

// What the models of T(n, p) take for granted of the noise in their tables, as relative standard deviations.
// Repetitions do not tell it, as they are joined to their median first (program_cells.hpp): it is what is left of the
// runs of one size on several numbers of workers once their dependence on p is taken out.
inline constexpr double kNoNoise = 1e-6;      // runs that agree to this are of a table without noise
inline constexpr double kLeastNoise = 0.002;  // of times; no law holds better
inline constexpr double kUsualNoise = 0.01;   // where there are too few runs to tell: always with one p

// What is left out counts as missed by two standard deviations.
inline constexpr double kLeftOutMiss = 4;

// How many samples the noise's standard deviation, seen in other runs or guessed, is worth.
inline constexpr double kNoiseSamples = 4;

// Laws that hold for the largest sizes only are looked at in these numbers of them: all of `sizes`, then fewer and
// fewer, `fewest` at least.
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

inline constexpr double kWorstScore = 16;  // behind the best: a weight of 1/3000

// Takes out what is that far behind, and gives the others weights that sum up to 1.
template <typename Law>
void weigh(std::vector<Law>& laws) {
  double best = std::numeric_limits<double>::infinity();
  for (const Law& law : laws) best = std::min(best, law.score);
  std::erase_if(laws, [best](const Law& law) { return !(law.score < best + kWorstScore); });
  double sum = 0;
  for (Law& law : laws) sum += law.weight = std::exp(-(law.score - best) / 2);
  for (Law& law : laws) law.weight /= sum;
}

}  // namespace foretask::predict
