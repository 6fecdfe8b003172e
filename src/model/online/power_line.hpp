// SPDX-License-Identifier: Apache-2.0
// time = a * x^b: a straight line through the logarithms by running least squares. Exponential forgetting makes it the
// line through the latest samples. Knows nothing of samples where the parameter or the time is 0.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "model/online/axis_model.hpp"

namespace foretask::model {

class PowerLine final : public AxisModel {
 public:
  // Each sample counts `keep` times what the next one does, in (0, 1].
  explicit PowerLine(double keep) noexcept : keep_(keep) {}

  [[nodiscard]] std::optional<double> predict(double x) const override;
  void learn(double x, double time) override;
  void rescale(double factor, double samples) override;
  void reset() override { *this = PowerLine(keep_); }
  [[nodiscard]] std::vector<double> state() const override;
  [[nodiscard]] bool restore(std::span<const double> state) override;

  struct Coefficients {
    double log_factor = 0;
    double exponent = 0;

    // `x` is above 0.
    [[nodiscard]] double at(double x) const noexcept { return std::exp(log_factor + exponent * std::log(x)); }
  };
  [[nodiscard]] std::optional<Coefficients> coefficients() const;

 private:
  double keep_;
  double weight_ = 0;
  double mean_x_ = 0;  // of the logarithms, as below
  double mean_time_ = 0;
  double spread_ = 0;   // sum of squares of x around its mean
  double product_ = 0;  // sum of products of x and time around their means
};

}  // namespace foretask::model
