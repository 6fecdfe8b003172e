// SPDX-License-Identifier: Apache-2.0
// The mean parameter and time of every 10 % step of the parameter, and straight lines between them: support points that
// go on learning. Beyond the outermost means time goes on as the power of the parameter that it is there. The whole
// range of a double holds less than 16,000 steps.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/online/axis_model.hpp"
#include "model/online/mean_points.hpp"

namespace foretask::model {

class LocalMeans final : public AxisModel {
 public:
  [[nodiscard]] std::optional<double> predict(double x) const override;
  void learn(double x, double time) override;
  void rescale(double factor, double samples) override { means_.rescale(factor, samples); }
  void reset() override { *this = {}; }
  [[nodiscard]] std::vector<double> state() const override;
  [[nodiscard]] bool restore(std::span<const double> state) override;

  // By x, and how time goes on beyond the first and the last.
  [[nodiscard]] std::span<const Point> points() const noexcept { return means_.points(); }
  [[nodiscard]] Ends ends() const;

 private:
  std::vector<int> steps_;  // ascending
  MeanPoints means_;        // of the step in the same place
};

}  // namespace foretask::model
