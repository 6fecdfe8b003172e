// SPDX-License-Identifier: Apache-2.0
// Means of the parameter and the time of samples, at some places of the parameter. Each is of the latest 64 samples of
// its place, so that it follows a change. One thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "model/online/curve.hpp"

namespace foretask::model {

class MeanPoints {
 public:
  [[nodiscard]] std::span<const Point> points() const noexcept { return points_; }
  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }
  // That the mean is of; at most kMemory.
  [[nodiscard]] double samples(std::size_t place) const noexcept { return samples_[place]; }

  // Before what is at `place`. False where these are no samples, and nothing is changed.
  bool insert(std::size_t place, double samples, const Point& mean) {
    if (!(samples > 0 && std::isfinite(mean.x) && mean.x >= 0 && std::isfinite(mean.time) && mean.time >= 0))
      return false;
    samples_.insert(samples_.begin() + static_cast<std::ptrdiff_t>(place), std::min(samples, kMemory));
    points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(place), mean);
    return true;
  }

  void learn(std::size_t place, double x, double time) noexcept {
    double& samples = samples_[place];
    Point& mean = points_[place];
    samples = std::min(samples + 1, kMemory);
    mean.x += (x - mean.x) / samples;
    mean.time += (time - mean.time) / samples;
  }

  void rescale(double factor, double samples) noexcept {
    for (double& count : samples_) count = std::min(count, samples);
    for (Point& mean : points_) mean.time *= factor;
  }

 private:
  static constexpr double kMemory = 64;

  std::vector<double> samples_;
  std::vector<Point> points_;  // of the samples in the same place
};

}  // namespace foretask::model
