// SPDX-License-Identifier: Apache-2.0
// HOT: the length of a tick of base::ticks_now(), for durations that are turned into ns on the program's threads. In
// integers, so that nothing is rounded in floating point: the program may have asked for a trap there
// (feenableexcept(FE_INEXACT)).
#pragma once

#include <cstdint>

#include "base/wide.hpp"

namespace foretask::base {

class TickScale {
 public:
  constexpr TickScale() = default;
  // Not on the program's threads.
  [[nodiscard]] static TickScale of(double ns_per_tick) noexcept {
    return TickScale(static_cast<std::uint64_t>(ns_per_tick * static_cast<double>(std::uint64_t{1} << kBits) + 0.5));
  }

  // To 1/1024 ns, from 2.4 hours on to 1 ns.
  [[nodiscard]] double ns(std::uint64_t ticks) const noexcept {
    const Wide ns = Wide{ticks} * per_tick_;  // times 2^kBits
    const auto fine = static_cast<std::uint64_t>(ns >> (kBits - kFineBits));
    constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // as far as each whole number is a double
    if (fine < kExact) return static_cast<double>(static_cast<std::int64_t>(fine)) * (1.0 / (1 << kFineBits));
    return static_cast<double>(static_cast<std::int64_t>(ns >> kBits));
  }

 private:
  static constexpr int kBits = 42;
  static constexpr int kFineBits = 10;
  explicit constexpr TickScale(std::uint64_t per_tick) noexcept : per_tick_(per_tick) {}

  std::uint64_t per_tick_ = std::uint64_t{1} << kBits;  // ns, times 2^kBits
};

}  // namespace foretask::base
