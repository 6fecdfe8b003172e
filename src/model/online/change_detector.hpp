// SPDX-License-Identifier: Apache-2.0
// Tells a lasting change from noise: Page's two-sided cumulative sum (Biometrika 41, 1954) of standardised deviations,
// each bounded, so that no spike counts for more than a sixth of an alarm. One thread; a few operations a sample.
#pragma once

#include <algorithm>
#include <cstdint>

namespace foretask::model {

class ChangeDetector {
 public:
  struct Limits {
    float slack;  // deviations up to here are no change
    float alarm;
  };

  // `deviation`: ln(time / prediction) over its standard deviation. True: the level has changed, for since() samples.
  [[nodiscard]] bool step(double deviation, Limits limits) noexcept {
    const float z = static_cast<float>(std::clamp(deviation, -kBound, kBound));
    add(up_, since_up_, z - limits.slack);
    add(down_, since_down_, -z - limits.slack);
    return std::max(up_, down_) > limits.alarm;
  }

  // Samples since the change began, where step() is true.
  [[nodiscard]] unsigned since() const noexcept { return up_ > down_ ? since_up_ : since_down_; }

  void reset() noexcept { *this = {}; }

  // In control an alarm is one in many million samples; a change by three standard deviations is told by the seventh.
  // The late one is for what a part of the samples shows, when all of them should have shown it first.
  static constexpr Limits kFast{0.75F, 12};
  static constexpr Limits kLate{0.75F, 16};
  // For changes not much larger than the noise, which take their time.
  static constexpr Limits kSlow{0.25F, 30};

 private:
  static constexpr double kBound = 2.5;

  static void add(float& sum, std::uint16_t& since, float gain) noexcept {
    sum = std::max(0.0F, sum + gain);
    since = sum > 0 ? static_cast<std::uint16_t>(std::min(since + 1, 0xffff)) : 0;
  }

  float up_ = 0;
  float down_ = 0;
  std::uint16_t since_up_ = 0;
  std::uint16_t since_down_ = 0;
};

}  // namespace foretask::model
