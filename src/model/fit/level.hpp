// SPDX-License-Identifier: Apache-2.0
// One time for every parameter: the mean of the latest samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "model/online_model.hpp"

namespace foretask::model {

class Level final : public OnlineModel {
 public:
  [[nodiscard]] std::optional<double> predict(double /*x*/) const override {
    if (samples_ == 0) return std::nullopt;
    return mean_;
  }

  void learn(double /*x*/, double time) override {
    samples_ = std::min(samples_ + 1, kMemory);
    mean_ += (time - mean_) / samples_;
  }

  void rescale(double factor, double samples) override {
    mean_ *= factor;
    samples_ = std::min(samples_, samples);
  }

  // All that was learned, for the store. restore(): false where it makes no sense, and nothing is changed.
  [[nodiscard]] std::vector<double> state() const { return {samples_, mean_}; }

  [[nodiscard]] bool restore(std::span<const double> state) {
    if (state.size() != 2 || !(state[0] > 0 && std::isfinite(state[1]) && state[1] > 0)) return false;
    samples_ = std::min(state[0], kMemory);
    mean_ = state[1];
    return true;
  }

 private:
  static constexpr double kMemory = 64;  // samples

  double samples_ = 0;
  double mean_ = 0;
};

}  // namespace foretask::model
