// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on the seed and on a place in the program, and on no schedule.
#pragma once

#include <cstdint>

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(mixed(seed)) {}

  // Of the i-th place within this one.
  [[nodiscard]] Draw inner(int i) const { return Draw(state_ + static_cast<std::uint64_t>(i) + 1); }

  [[nodiscard]] std::uint64_t bits() { return mixed(state_ += kStep); }
  // From `least` to `most`, both included.
  [[nodiscard]] int between(int least, int most) {
    return least + static_cast<int>(bits() % static_cast<std::uint64_t>(most - least + 1));
  }
  [[nodiscard]] bool chance(int percent) { return between(1, 100) <= percent; }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;

  // SplitMix64 (Steele, Lea and Flood, 2014).
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};
