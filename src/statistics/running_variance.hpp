// SPDX-License-Identifier: Apache-2.0
// Mean and variance of numbers one after another, in one pass that loses no digits (Welford 1962).
#pragma once

#include <cmath>
#include <span>

namespace foretask::statistics {

class RunningVariance {
 public:
  RunningVariance() = default;
  explicit RunningVariance(std::span<const double> values) noexcept {
    for (const double value : values) add(value);
  }

  void add(double value) noexcept {
    const double distance = value - mean_;
    mean_ += distance / ++count_;
    squares_ += distance * (value - mean_);
  }
  // The same value so many times.
  void add(double value, double times) noexcept {
    const double distance = value - mean_;
    const double before = count_;
    count_ += times;
    mean_ += distance * times / count_;
    squares_ += distance * distance * before * times / count_;
  }
  [[nodiscard]] double count() const noexcept { return count_; }
  [[nodiscard]] double mean() const noexcept { return mean_; }        // 0 of none
  [[nodiscard]] double squares() const noexcept { return squares_; }  // sum of the squared distances from the mean
  // With n - 1; 0 of less than two.
  [[nodiscard]] double variance() const noexcept { return count_ > 1 ? squares_ / (count_ - 1) : 0; }
  [[nodiscard]] double sd() const noexcept { return std::sqrt(variance()); }
  // The standard deviation over the mean; 0 where the mean is not above 0.
  [[nodiscard]] double relative_sd() const noexcept { return mean_ > 0 ? sd() / mean_ : 0; }

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

}  // namespace foretask::statistics
