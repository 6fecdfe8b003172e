// SPDX-License-Identifier: Apache-2.0
// A kernel's time by one parameter, learned a sample at a time in bounded memory. One thread.
#pragma once

#include <optional>

namespace foretask::model {

class OnlineModel {
 public:
  virtual ~OnlineModel() = default;

  // Nothing where it cannot say; else finite and not negative.
  [[nodiscard]] virtual std::optional<double> predict(double x) const = 0;

  // `x` and `time` are finite and not negative.
  virtual void learn(double x, double time) = 0;

  // The kernel became slower by `factor`, above 0: as if all times so far had been that much longer, and no more than
  // `samples` of them.
  virtual void rescale(double factor, double samples) = 0;

 protected:
  // Copied as what it is, never as this.
  OnlineModel() = default;
  OnlineModel(const OnlineModel&) = default;
  OnlineModel& operator=(const OnlineModel&) = default;
};

}  // namespace foretask::model
