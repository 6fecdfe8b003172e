// SPDX-License-Identifier: Apache-2.0
#include "model/online/power_line.hpp"

#include <algorithm>
#include <cmath>

namespace foretask::model {
namespace {

// Logarithms closer together than this are one parameter, with rounding on it.
constexpr double kOneParameter = 1e-12;

}  // namespace

std::optional<PowerLine::Coefficients> PowerLine::coefficients() const {
  if (weight_ == 0) return std::nullopt;
  const bool varies = spread_ > weight_ * kOneParameter * kOneParameter;
  const double exponent = varies ? product_ / spread_ : 0;
  return Coefficients{mean_time_ - exponent * mean_x_, exponent};
}

std::optional<double> PowerLine::predict(double x) const {
  const auto line = coefficients();
  if (!line || x <= 0) return std::nullopt;
  const double time = line->at(x);
  if (!std::isfinite(time)) return std::nullopt;
  return time;
}

void PowerLine::learn(double x, double time) {
  if (x <= 0 || time <= 0) return;
  const double log_x = std::log(x);
  const double log_time = std::log(time);
  weight_ = weight_ * keep_ + 1;
  const double from_old_x = log_x - mean_x_;
  mean_x_ += from_old_x / weight_;
  mean_time_ += (log_time - mean_time_) / weight_;
  spread_ = spread_ * keep_ + from_old_x * (log_x - mean_x_);
  product_ = product_ * keep_ + from_old_x * (log_time - mean_time_);
}

void PowerLine::rescale(double factor, double samples) {
  mean_time_ += std::log(factor);
  const double keep = weight_ > 0 ? std::min(1.0, samples / weight_) : 1;
  weight_ *= keep;
  spread_ *= keep;
  product_ *= keep;
}

std::vector<double> PowerLine::state() const { return {weight_, mean_x_, mean_time_, spread_, product_}; }

bool PowerLine::restore(std::span<const double> state) {
  if (state.size() != 5 || !std::all_of(state.begin(), state.end(), [](double x) { return std::isfinite(x); }) ||
      state[0] < 0 || state[3] < 0)
    return false;
  weight_ = state[0];
  mean_x_ = state[1];
  mean_time_ = state[2];
  spread_ = state[3];
  product_ = state[4];
  return true;
}

}  // namespace foretask::model
