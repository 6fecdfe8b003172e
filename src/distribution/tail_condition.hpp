// SPDX-License-Identifier: Apache-2.0
// Log odds given that a value is no less than a bound, and back. Pure, thread safe.
#pragma once

#include "distribution/law.hpp"
#include "distribution/log_odds.hpp"

namespace foretask::distribution {

class TailCondition {
 public:
  // `start`: the log odds of the value being below the bound.
  explicit TailCondition(double start) noexcept : start_(start) {}

  // F' = (F - F0) / (1 - F0).
  [[nodiscard]] double inner(double z) const noexcept {
    if (start_ == -kInfinity) return z;
    return z > start_ ? z_of(mass_between(start_, z), upper(z)) : -kInfinity;
  }
  [[nodiscard]] double outer(double z) const noexcept {
    if (start_ == -kInfinity) return z;
    return z_of(lower(start_) + lower(z) * upper(start_), upper(z) * upper(start_));
  }

 private:
  double start_;
};

}  // namespace foretask::distribution
