// SPDX-License-Identifier: Apache-2.0
// HOT: what a run takes: a mean of the latest some thirty, which one outlier moves by a quarter at most. In integers,
// so that nothing is rounded in floating point: the program may have asked for a trap there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"

namespace foretask::base {

class RunMean {
 public:
  // So many tell more than an outlier.
  static constexpr std::uint64_t kEnough = 2;
  static constexpr std::uint64_t kMemory = 32;

  constexpr RunMean() = default;
  // Ticks above 0; `runs`: how many they are of. 0: they are only predicted, and the next run replaces them.
  constexpr RunMean(Ticks ticks, std::uint64_t runs)
      : scaled_(std::clamp<Ticks>(ticks, 1, kMost) << kFractionBits), runs_(std::min(runs, kMemory)) {}

  // As one word, and back.
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return scaled_ << kRunsBits | runs_; }
  [[nodiscard]] static constexpr RunMean of_bits(std::uint64_t bits) noexcept {
    RunMean mean;
    mean.scaled_ = bits >> kRunsBits;
    mean.runs_ = bits % (1U << kRunsBits);
    return mean;
  }

  [[nodiscard]] constexpr Ticks ticks() const noexcept { return scaled_ >> kFractionBits; }  // 0: nothing known
  [[nodiscard]] constexpr std::uint64_t runs() const noexcept { return runs_; }
  [[nodiscard]] constexpr bool is_known() const noexcept { return runs_ >= kEnough; }
  // It is being found out.
  [[nodiscard]] constexpr bool is_on_trial() const noexcept { return scaled_ != 0 && runs_ < kEnough; }

  // With one run more.
  [[nodiscard]] constexpr RunMean with(Ticks seen) const noexcept {
    if (runs_ == 0) return {seen, 1};
    RunMean next({seen, runs_ + 1});
    if (runs_ <= kEnough && (next.scaled_ > 2 * scaled_ || scaled_ > 2 * next.scaled_)) {
      // What disturbs a run makes it longer: of two that differ so much the shorter one is believed.
      next.scaled_ = std::min(scaled_, next.scaled_);
      return next;
    }
    const auto mean = static_cast<std::int64_t>(scaled_);
    const std::int64_t step = (static_cast<std::int64_t>(next.scaled_) - mean) / static_cast<std::int64_t>(next.runs_);
    next.scaled_ = static_cast<std::uint64_t>(mean + std::clamp(step, -mean / 4, mean / 4));
    return next;
  }

 private:
  static constexpr int kRunsBits = 8;
  static constexpr int kFractionBits = 4;
  static constexpr Ticks kMost = Ticks{1} << 46;

  std::uint64_t scaled_ = 0;  // sixteenths of a tick
  std::uint64_t runs_ = 0;
};

}  // namespace foretask::base
