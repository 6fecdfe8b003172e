// SPDX-License-Identifier: Apache-2.0
// HOT: random numbers, by SplitMix64 (Steele, Lea, Flood 2014), whose n-th number is a function of the seed and n. The
// same on every machine.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "base/wide.hpp"

namespace foretask::statistics {

// Bits that each depend on all of the given ones: SplitMix64's (Steele, Lea, Flood 2014), for seeds, random numbers and
// hashes. The same on every machine. Pure, thread safe.
//
// Between the states of two numbers of SplitMix64: 2^64 over the golden ratio. The n-th number, from 0, of a seed is
// mixed_bits(seed + (n + 1) * kSplitMixStep).
inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15U;

// One to one.
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t z) noexcept {
  z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
  return z ^ z >> 31U;
}

// A hash of all that came before, and of one more value.
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t hash, std::uint64_t value) noexcept {
  return mixed_bits((hash ^ value) + kSplitMixStep);
}

// One number after another. A generator to the standard library as well (std::shuffle, std::normal_distribution).
class Random {
 public:
  using result_type = std::uint64_t;

  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  // A generator with this seed goes on from here.
  [[nodiscard]] std::uint64_t state() const noexcept { return state_; }

  static constexpr std::uint64_t min() noexcept { return 0; }
  static constexpr std::uint64_t max() noexcept { return std::numeric_limits<std::uint64_t>::max(); }
  std::uint64_t operator()() noexcept {
    state_ += kSplitMixStep;
    return mixed_bits(state_);
  }
  // In [0, limit); limit > 0. A bias of limit / 2^64 is left in.
  template <std::unsigned_integral Number>
  Number below(Number limit) noexcept {
    return static_cast<Number>(static_cast<base::Wide>((*this)()) * limit >> 64);
  }

 private:
  std::uint64_t state_;
};

// Any of a stream's numbers without those before it, so that a draw does not depend on who draws what first.
class RandomAt {
 public:
  RandomAt(std::uint64_t seed, std::uint64_t stream) noexcept
      : key_(mixed_bits(mixed_bits(seed + kSplitMixStep) + stream * kSplitMixStep)) {}

  [[nodiscard]] std::uint64_t number(std::uint64_t place) const noexcept {
    return mixed_bits(key_ + (place + 1) * kSplitMixStep);
  }
  // In [0, limit); limit > 0. A bias of limit / 2^64 is left in.
  [[nodiscard]] std::uint32_t below(std::uint32_t limit, std::uint64_t place) const noexcept {
    return static_cast<std::uint32_t>(static_cast<base::Wide>(number(place)) * limit >> 64);
  }

 private:
  std::uint64_t key_;
};

}  // namespace foretask::statistics
