// SPDX-License-Identifier: Apache-2.0
// The first four moments of a distribution or of a stream of values. Plain data.
#pragma once

#include <array>
#include <cstdint>

namespace foretask::analysis {

// Mean, spread and shape of a distribution.
struct Moments {
  double mean = 0;
  double variance = 0;  // divided by n
  double skewness = 0;  // third central moment / variance^1.5; 0 where the variance is 0
  double kurtosis = 3;  // fourth central moment / variance^2 (a normal's is 3); 3 where the variance is 0

  // E[X], E[X^2], E[X^3], E[X^4].
  [[nodiscard]] std::array<double, 4> raw() const noexcept;
  // Digits are lost where the mean is large beside the spread.
  [[nodiscard]] static Moments of_raw(const std::array<double, 4>& raw) noexcept;
};

// Of a stream, in one pass, numerically stable, in 40 bytes. Two of them merge into that of both streams (Pébay 2008,
// eq. 1.5 and 2.1 to fourth order). Not thread safe.
class RunningMoments {
 public:
  void add(double value) noexcept;
  void merge(const RunningMoments& other) noexcept;
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] Moments moments() const noexcept;

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double m2_ = 0;  // sums of powers of value - mean
  double m3_ = 0;
  double m4_ = 0;
};

}  // namespace foretask::analysis
