// SPDX-License-Identifier: Apache-2.0
// HOT: random numbers by their place: any of a stream's numbers without those before it, so that a draw does not depend
// on who draws what first. SplitMix64 (Steele, Lea, Flood 2014), whose n-th number is a function of seed and n.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/wide.hpp"
#include "statistics/mixed_bits.hpp"

namespace foretask::statistics {

class RandomAt {
 public:
  RandomAt(std::uint64_t seed, std::uint64_t stream) noexcept
      : key_(mixed_bits(mixed_bits(seed + kStep) + stream * kStep)) {}

  [[nodiscard]] std::uint64_t number(std::uint64_t place) const noexcept {
    return mixed_bits(key_ + (place + 1) * kStep);
  }
  // In [0, limit); limit > 0. A bias of limit / 2^64 is left in.
  [[nodiscard]] std::uint32_t below(std::uint32_t limit, std::uint64_t place) const noexcept {
    return static_cast<std::uint32_t>(static_cast<base::Wide>(number(place)) * limit >> 64);
  }
  // below() and, of the same number, how far it is on the way to the next: in [0, 1).
  struct Part {
    std::uint32_t below;
    double rest;
  };
  [[nodiscard]] Part part(std::uint32_t limit, std::uint64_t place) const noexcept {
    const base::Wide product = static_cast<base::Wide>(number(place)) * limit;
    return {static_cast<std::uint32_t>(product >> 64),
            static_cast<double>(static_cast<std::uint64_t>(product) >> 11) * 0x1p-53};
  }
  // In (0, 1).
  [[nodiscard]] double unit(std::uint64_t place) const noexcept {
    return (static_cast<double>(number(place) >> 11) + 0.5) * 0x1p-53;
  }
  // Standard normal (Box and Muller 1958); takes the places 2 * place and 2 * place + 1.
  [[nodiscard]] double normal(std::uint64_t place) const noexcept {
    return std::sqrt(-2 * std::log(unit(2 * place))) * std::cos(2 * std::numbers::pi * unit(2 * place + 1));
  }

 private:
  static constexpr std::uint64_t kStep = kSplitMixStep;

  std::uint64_t key_;
};

}  // namespace foretask::statistics
