// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/moments.hpp"

#include <cmath>

namespace foretask::analysis {

std::array<double, 4> Moments::raw() const noexcept {
  const double sd = std::sqrt(variance);
  const double third = skewness * variance * sd;
  const double fourth = kurtosis * variance * variance;
  return {mean, variance + mean * mean, third + 3 * mean * variance + mean * mean * mean,
          fourth + 4 * mean * third + 6 * mean * mean * variance + mean * mean * mean * mean};
}

Moments Moments::of_raw(const std::array<double, 4>& raw) noexcept {
  Moments moments;
  const double mean = raw[0];
  moments.mean = mean;
  moments.variance = raw[1] - mean * mean;
  if (!(moments.variance > 0)) {
    moments.variance = 0;
    return moments;
  }
  const double third = raw[2] - 3 * mean * raw[1] + 2 * mean * mean * mean;
  const double fourth = raw[3] - 4 * mean * raw[2] + 6 * mean * mean * raw[1] - 3 * mean * mean * mean * mean;
  moments.skewness = third / (moments.variance * std::sqrt(moments.variance));
  moments.kurtosis = fourth / (moments.variance * moments.variance);
  return moments;
}

void RunningMoments::add(double value) noexcept {
  RunningMoments one;
  one.count_ = 1;
  one.mean_ = value;
  merge(one);
}

void RunningMoments::merge(const RunningMoments& other) noexcept {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  const auto a = static_cast<double>(count_);
  const auto b = static_cast<double>(other.count_);
  const double n = a + b;
  const double delta = other.mean_ - mean_;
  const double step = delta / n;
  // From the fourth down: each needs the lower ones as they were.
  m4_ += other.m4_ + a * b * (a * a - a * b + b * b) * delta * step * step * step +
         6 * (a * a * other.m2_ + b * b * m2_) * step * step + 4 * (a * other.m3_ - b * m3_) * step;
  m3_ += other.m3_ + a * b * (a - b) * delta * step * step + 3 * (a * other.m2_ - b * m2_) * step;
  m2_ += other.m2_ + a * b * delta * step;
  mean_ += b * step;
  count_ += other.count_;
}

Moments RunningMoments::moments() const noexcept {
  Moments moments;
  if (count_ == 0) return moments;
  const auto n = static_cast<double>(count_);
  moments.mean = mean_;
  moments.variance = m2_ / n;
  if (!(moments.variance > 0)) return moments;
  moments.skewness = m3_ / n / (moments.variance * std::sqrt(moments.variance));
  moments.kurtosis = m4_ / n / (moments.variance * moments.variance);
  return moments;
}

}  // namespace foretask::analysis
