// SPDX-License-Identifier: Apache-2.0
// One time for every parameter, or two behaviours of one kernel (Grass et al. 2014, section 5.2) for a stream: each
// sample draws the nearest of one or two mean parameters towards it, and the mean time there answers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/online/axis_model.hpp"
#include "model/online/mean_points.hpp"

namespace foretask::model {

class NearestMeans final : public AxisModel {
 public:
  // `most`: 1 or 2.
  explicit NearestMeans(std::size_t most) noexcept : most_(most) {}

  [[nodiscard]] std::optional<double> predict(double x) const override {
    if (means_.size() == 0) return std::nullopt;
    return points()[nearest_of(points(), x)].time;
  }

  void learn(double x, double time) override {
    // The second begins with the first sample of another parameter.
    const bool is_new = means_.size() == 0 || (means_.size() < most_ && x != points()[0].x);
    if (is_new) {
      means_.insert(means_.size(), 1, {x, time});
    } else {
      means_.learn(nearest_of(points(), x), x, time);
    }
  }

  void rescale(double factor, double samples) override { means_.rescale(factor, samples); }
  void reset() override { means_ = {}; }

  [[nodiscard]] std::vector<double> state() const override;
  [[nodiscard]] bool restore(std::span<const double> state) override;

  [[nodiscard]] std::span<const Point> points() const noexcept { return means_.points(); }

 private:
  std::size_t most_;
  MeanPoints means_;
};

}  // namespace foretask::model
