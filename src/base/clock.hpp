// SPDX-License-Identifier: Apache-2.0
// The recording's clock: the invariant time-stamp counter where there is one, else CLOCK_MONOTONIC in ns.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

namespace foretask::base {

using Ticks = std::uint64_t;

// A clock of the system's, in ns; 0 where it has none such.
[[nodiscard]] std::int64_t clock_ns(clockid_t clock) noexcept;

// CLOCK_MONOTONIC in ns; 21 ns on x86-64.
[[nodiscard]] std::int64_t monotonic_ns() noexcept;

// What the calling thread has been on a core. A system call.
[[nodiscard]] std::int64_t thread_cpu_ns() noexcept;

// How the recording's clock reads the processor's counter, as foretask_clock_is_tsc() says it. 0: not at all, as the
// counter does not run at one rate in every power state and on every core. Any thread; a few ns after the first call.
inline constexpr std::uint32_t kUnknownScale = ~std::uint32_t{0};
inline constinit std::atomic<std::uint32_t> known_counter_scale{kUnknownScale};
[[nodiscard]] std::uint32_t find_counter_scale() noexcept;
[[nodiscard]] inline std::uint32_t counter_scale() noexcept {
  const std::uint32_t known = known_counter_scale.load(std::memory_order_relaxed);
  return known != kUnknownScale ? known : find_counter_scale();
}
[[nodiscard]] inline bool tsc_is_invariant() noexcept { return counter_scale() != 0; }

// HOT: now, in ticks of the recording's clock.
[[nodiscard, gnu::cold]] Ticks ticks_now_slow() noexcept;
[[nodiscard]] inline Ticks ticks_now() noexcept {
  const std::uint32_t scale = known_counter_scale.load(std::memory_order_relaxed);
  if (scale == kUnknownScale || scale == 0) [[unlikely]]
    return ticks_now_slow();
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  // Without a barrier (ISB, some 20 ns): a thread's readings are in order, and readings of two threads are not compared
  // more finely than to 1 us.
  Ticks counter = 0;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(counter));
  return counter << (scale - 1);
#else
  return ticks_now_slow();
#endif
}

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
