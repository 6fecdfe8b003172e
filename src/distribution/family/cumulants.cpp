// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/cumulants.hpp"

#include <algorithm>
#include <cmath>

namespace foretask::distribution {

Cumulants cumulants_of(const analysis::Moments& moments) noexcept {
  if (moments.variance == 0) return {moments.mean, 0, 0, 0};
  return {moments.mean, moments.variance, moments.skewness * moments.variance * std::sqrt(moments.variance),
          (moments.kurtosis - 3) * moments.variance * moments.variance};
}

Cumulants cumulants_about(double shift, const Powers& means) noexcept {
  const auto [d, m2, m3, m4] = means;
  const double variance = std::isnan(m2) ? m2 : std::max(0.0, m2 - d * d);
  return {shift + d, variance, m3 - 3 * d * m2 + 2 * d * d * d,
          m4 - 4 * d * m3 + 6 * d * d * m2 - 3 * d * d * d * d - 3 * variance * variance};
}

analysis::Moments moments_of_cumulants(const Cumulants& cumulants) noexcept {
  analysis::Moments moments;
  moments.mean = cumulants[0];
  moments.variance = cumulants[1];
  if (cumulants[1] <= 0) {
    moments.variance = 0;
    return moments;
  }
  moments.skewness = cumulants[2] / (cumulants[1] * std::sqrt(cumulants[1]));
  moments.kurtosis = 3 + cumulants[3] / (cumulants[1] * cumulants[1]);
  return moments;
}

Cumulants added(const Cumulants& x, const Cumulants& y) noexcept {
  return {x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]};
}

Cumulants repeated(const Cumulants& x, double times) noexcept {
  return {x[0] * times, x[1] * times, x[2] * times, x[3] * times};
}

Cumulants mixed(const std::vector<std::pair<double, Cumulants>>& cases) {
  double mean = 0;
  for (const auto& [share, x] : cases) mean += share * x[0];
  Cumulants mixture{mean, 0, 0, 0};
  for (const auto& [share, x] : cases) {
    const double off = x[0] - mean;
    const double fourth = x[3] + 3 * x[1] * x[1];
    mixture[1] += share * (x[1] + off * off);
    mixture[2] += share * (x[2] + 3 * off * x[1] + off * off * off);
    mixture[3] += share * (fourth + 4 * off * x[2] + 6 * off * off * x[1] + off * off * off * off);
  }
  mixture[3] -= 3 * mixture[1] * mixture[1];
  return mixture;
}

Cumulants compounded(const Cumulants& n, const Cumulants& x) noexcept {
  const double mean2 = x[0] * x[0];
  return {n[0] * x[0], n[0] * x[1] + n[1] * mean2, n[0] * x[2] + 3 * n[1] * x[0] * x[1] + n[2] * mean2 * x[0],
          n[0] * x[3] + n[1] * (4 * x[0] * x[2] + 3 * x[1] * x[1]) + 6 * n[2] * mean2 * x[1] + n[3] * mean2 * mean2};
}

}  // namespace foretask::distribution

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
