// SPDX-License-Identifier: Apache-2.0
// The mean parameter and time of every 10 % step of the parameter, and straight lines between them: support points that
// go on learning. Beyond the outermost means time goes on as the power of the parameter that it is there. The whole
// range of a double holds less than 16,000 steps.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/fit/interpolation.hpp"
#include "model/online_model.hpp"

namespace foretask::model {

class LocalMeans final : public OnlineModel {
 public:
  [[nodiscard]] std::optional<double> predict(double x) const override;
  void learn(double x, double time) override;
  void rescale(double factor, double samples) override;
  // All that was learned, for the store. restore(): false where it makes no sense, and nothing is changed.
  [[nodiscard]] std::vector<double> state() const;
  [[nodiscard]] bool restore(std::span<const double> state);

  // By x. Beyond the first and the last, time is theirs times (x / theirs)^exponent.
  [[nodiscard]] const std::vector<Point>& means() const noexcept { return means_; }
  [[nodiscard]] double exponent_below() const;
  [[nodiscard]] double exponent_above() const;

 private:
  struct Step {
    int index = 0;
    double samples = 0;
  };

  std::vector<Step> steps_;   // by index
  std::vector<Point> means_;  // of the step in the same place
};

}  // namespace foretask::model
