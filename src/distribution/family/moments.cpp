// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/moments.hpp"

#include <cmath>

#include "distribution/family/cumulants.hpp"

namespace foretask::analysis {

std::array<double, 4> Moments::raw() const noexcept {
  const double sd = std::sqrt(variance);
  const double third = skewness * variance * sd;
  const double fourth = kurtosis * variance * variance;
  return {mean, variance + mean * mean, third + 3 * mean * variance + mean * mean * mean,
          fourth + 4 * mean * third + 6 * mean * mean * variance + mean * mean * mean * mean};
}

Moments Moments::of_raw(const std::array<double, 4>& raw) noexcept {
  return distribution::moments_of_cumulants(distribution::cumulants_about(0, raw));
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
  if (count_ == 0) return {};
  const auto n = static_cast<double>(count_);
  return distribution::moments_of_cumulants(distribution::cumulants_about(mean_, {0, m2_ / n, m3_ / n, m4_ / n}));
}

}  // namespace foretask::analysis
