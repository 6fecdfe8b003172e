// SPDX-License-Identifier: Apache-2.0
#include "model/power_line.hpp"

#include <cmath>

namespace foretask::model {
namespace {

// Logarithms closer together than this are one parameter, with rounding on it.
constexpr double kOneParameter = 1e-12;

}  // namespace

std::optional<double> PowerLine::predict(double x) const {
  if (weight_ == 0 || x <= 0) return std::nullopt;
  const bool varies = spread_ > weight_ * kOneParameter * kOneParameter;
  const double exponent = varies ? product_ / spread_ : 0;
  const double time = std::exp(mean_time_ + exponent * (std::log(x) - mean_x_));
  if (!std::isfinite(time)) return std::nullopt;
  return time;
}

void PowerLine::learn(double x, double time) {
  if (x <= 0 || time <= 0) return;
  weight_ = weight_ * keep_ + 1;
  const double from_old_x = std::log(x) - mean_x_;
  mean_x_ += from_old_x / weight_;
  mean_time_ += (std::log(time) - mean_time_) / weight_;
  spread_ = spread_ * keep_ + from_old_x * (std::log(x) - mean_x_);
  product_ = product_ * keep_ + from_old_x * (std::log(time) - mean_time_);
}

}  // namespace foretask::model
