// SPDX-License-Identifier: Apache-2.0
// HOT: the seeded generator that picks victims: SplitMix64 (Steele, Lea, Flood 2014). The same on every machine.
#pragma once

#include <cstdint>

#include "base/wide.hpp"
#include "statistics/mixed_bits.hpp"

namespace foretask::statistics {

class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += kSplitMixStep;
    return mixed_bits(state_);
  }
  // In [0, limit); limit > 0. A bias of limit / 2^64 is left in.
  std::uint32_t below(std::uint32_t limit) noexcept {
    return static_cast<std::uint32_t>(static_cast<base::Wide>(next()) * limit >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace foretask::statistics
