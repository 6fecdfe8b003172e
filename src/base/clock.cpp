// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace foretask::base {
namespace {

std::uint32_t look_for_counter() noexcept {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  // Leaf 0x80000007, EDX bit 8: the counter's rate is constant in all P-, C- and T-states.
  return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0 ? 1 : 0;
#elif defined(__aarch64__)
  // The architecture says that the rate is constant. It is the machine's choice, from 1 MHz to 1 GHz: the counter is
  // shifted, so that a tick is never longer than 1 ns, as everywhere.
  Ticks rate = 0;
  __asm__("mrs %0, cntfrq_el0" : "=r"(rate));
  constexpr Ticks kLeastRate = 1'000'000'000;
  std::uint32_t scale = 1;
  while (rate != 0 && rate << (scale - 1) < kLeastRate) ++scale;
  return rate != 0 ? scale : 0;  // 0: the firmware has not said it
#else
  return 0;
#endif
}

}  // namespace

std::int64_t clock_ns(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::int64_t monotonic_ns() noexcept { return clock_ns(CLOCK_MONOTONIC); }

std::int64_t thread_cpu_ns() noexcept { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

std::uint32_t find_counter_scale() noexcept {
  const std::uint32_t found = look_for_counter();
  known_counter_scale.store(found, std::memory_order_relaxed);
  return found;
}

Ticks ticks_now_slow() noexcept { return counter_scale() != 0 ? ticks_now() : static_cast<Ticks>(monotonic_ns()); }

ClockPair read_clock_pair() noexcept {
  ClockPair best;
  Ticks narrowest = ~Ticks{0};
  for (int attempt = 0; attempt < 16; ++attempt) {
    const Ticks before = ticks_now();
    const std::int64_t ns = monotonic_ns();
    const Ticks after = ticks_now();
    if (after - before < narrowest) {
      narrowest = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

double ticks_per_second(const ClockPair& from, const ClockPair& to) noexcept {
  const double ns = static_cast<double>(to.monotonic_ns - from.monotonic_ns);
  if (!tsc_is_invariant() || ns < 1000.0) return 1e9;
  return static_cast<double>(to.ticks - from.ticks) / ns * 1e9;
}

}  // namespace foretask::base
