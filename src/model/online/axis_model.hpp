// SPDX-License-Identifier: Apache-2.0
// A kernel's time by one parameter, the axis, learned a sample at a time in bounded memory. One thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace foretask::model {

class OneParameterModel {
 public:
  virtual ~OneParameterModel() = default;

  // Nothing where it cannot say; else finite and not negative.
  [[nodiscard]] virtual std::optional<double> predict(double x) const = 0;

  // `x` and `time` are finite and not negative.
  virtual void learn(double x, double time) = 0;

 protected:
  // Copied as what it is, never as this.
  OneParameterModel() = default;
  OneParameterModel(const OneParameterModel&) = default;
  OneParameterModel& operator=(const OneParameterModel&) = default;
};

// One that follows changes, and is kept in the store.
class AxisModel : public OneParameterModel {
 public:
  // The kernel became slower by `factor`, above 0: as if all times so far had been that much longer, and no more than
  // `samples` of them.
  virtual void rescale(double factor, double samples) = 0;

  virtual void reset() = 0;

  // All that was learned, for the store. restore(): false where it makes no sense, and nothing is changed.
  [[nodiscard]] virtual std::vector<double> state() const = 0;
  [[nodiscard]] virtual bool restore(std::span<const double> state) = 0;
};

}  // namespace foretask::model
