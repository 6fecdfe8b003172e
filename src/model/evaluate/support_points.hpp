// SPDX-License-Identifier: Apache-2.0
// Few measured points and straight lines between them (Grass et al. 2014, section 5.2): the first sample is one, and
// each that lies below 90 % of the smallest or above 110 % of the largest. The range only widens, each time by more
// than 10 %, so that the whole range of a double holds less than 16,000 points.
#pragma once

#include <optional>
#include <vector>

#include "model/online/axis_model.hpp"
#include "model/online/curve.hpp"

namespace foretask::model {

// Both limits are strict: at exactly 90 % or 110 % a range stays as it is.
[[nodiscard]] bool widens(double smallest, double largest, double x) noexcept;

class SupportPoints final : public OneParameterModel {
 public:
  // Whether a sample at `x` becomes a support point.
  [[nodiscard]] bool wants(double x) const noexcept;

  [[nodiscard]] std::optional<double> predict(double x) const override;

  // A sample that it does not want is passed over.
  void learn(double x, double time) override;

 private:
  std::vector<Point> points_;  // x increase: a new one is the first or the last
};

}  // namespace foretask::model
