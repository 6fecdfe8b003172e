// SPDX-License-Identifier: Apache-2.0
// Work of a length that is the same however fast the clock is read. For the loads of record_cost.
#pragma once

#include <cstdint>

namespace foretask::benchmarks {

// Rounds, not time: 2.1 ns a round on the machine of docs/overhead.md.
inline std::uint64_t spin_rounds(double microseconds) {
  return static_cast<std::uint64_t>(microseconds * 1000.0 / 2.1);
}

inline std::uint64_t spin(std::uint64_t rounds) {
  std::uint64_t x = 88172645463325252ULL;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

}  // namespace foretask::benchmarks
