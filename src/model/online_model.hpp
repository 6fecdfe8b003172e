// SPDX-License-Identifier: Apache-2.0
// A kernel's time by one parameter, learned a sample at a time in bounded memory. One thread.
#pragma once

#include <optional>

namespace foretask::model {

class OnlineModel {
 public:
  OnlineModel() = default;
  OnlineModel(const OnlineModel&) = delete;
  OnlineModel& operator=(const OnlineModel&) = delete;
  virtual ~OnlineModel() = default;

  // Nothing where it cannot say; else finite and not negative.
  [[nodiscard]] virtual std::optional<double> predict(double x) const = 0;

  // `x` and `time` are finite and not negative.
  virtual void learn(double x, double time) = 0;
};

}  // namespace foretask::model
