// SPDX-License-Identifier: Apache-2.0
// time = a * x^b: a straight line through the logarithms by running least squares. Exponential forgetting makes it the
// line through the latest samples. Knows nothing of samples where the parameter or the time is 0.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/online_model.hpp"

namespace foretask::model {

class PowerLine final : public OnlineModel {
 public:
  // Each sample counts `keep` times what the next one does, in (0, 1].
  explicit PowerLine(double keep) noexcept : keep_(keep) {}

  [[nodiscard]] std::optional<double> predict(double x) const override;
  void learn(double x, double time) override;
  void rescale(double factor, double samples) override;
  // All that was learned, for the store. restore(): false where it makes no sense, and nothing is changed.
  [[nodiscard]] std::vector<double> state() const;
  [[nodiscard]] bool restore(std::span<const double> state);

  void reset() { *this = PowerLine(keep_); }

  // exp(log_factor) * x^exponent.
  struct Coefficients {
    double log_factor = 0;
    double exponent = 0;
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
