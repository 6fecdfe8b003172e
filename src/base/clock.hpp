// SPDX-License-Identifier: Apache-2.0
// The recording's clock: the invariant time-stamp counter where there is one, else CLOCK_MONOTONIC in ns.
#pragma once

#include <cstdint>

namespace foretask::base {

using Ticks = std::uint64_t;

// CLOCK_MONOTONIC in ns; 21 ns on x86-64.
[[nodiscard]] std::int64_t monotonic_ns() noexcept;

// What the calling thread has been on a core. A system call.
[[nodiscard]] std::int64_t thread_cpu_ns() noexcept;

// How the recording's clock reads the processor's counter, as foretask_clock_is_tsc() says it. 0: not at all, as the
// counter does not run at one rate in every power state and on every core. Any thread; a few ns after the first call.
[[nodiscard]] std::uint32_t counter_scale() noexcept;
[[nodiscard]] inline bool tsc_is_invariant() noexcept { return counter_scale() != 0; }

// Now, in ticks of the recording's clock.
[[nodiscard]] Ticks ticks_now() noexcept;

// The same instant on both clocks, read as close together as a few tries allow.
struct ClockPair {
  Ticks ticks = 0;
  std::int64_t monotonic_ns = 0;
};
[[nodiscard]] ClockPair read_clock_pair() noexcept;

// Ticks a second between two pairs; 1e9 when the clock is CLOCK_MONOTONIC or the pairs are less than a microsecond
// apart.
[[nodiscard]] double ticks_per_second(const ClockPair& from, const ClockPair& to) noexcept;

}  // namespace foretask::base
