// SPDX-License-Identifier: Apache-2.0
// Bits that each depend on all of the given ones: SplitMix64's (Steele, Lea, Flood 2014), for seeds, random numbers and
// hashes. The same on every machine. Pure, thread safe.
#pragma once

#include <cstdint>

namespace foretask::statistics {

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

}  // namespace foretask::statistics
