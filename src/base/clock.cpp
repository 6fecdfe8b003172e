// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace foretask::base {
namespace {

bool detect_invariant() noexcept {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  // Leaf 0x80000007, EDX bit 8: the counter's rate is constant in all P-, C- and T-states.
  return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
#elif defined(__aarch64__)
  return true;  // CNTVCT is architecturally constant
#else
  return false;
#endif
}

Ticks read_counter() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  Ticks ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return static_cast<Ticks>(monotonic_ns());
#endif
}

}  // namespace

namespace {

std::int64_t clock_ns(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t monotonic_ns() noexcept { return clock_ns(CLOCK_MONOTONIC); }

std::int64_t thread_cpu_ns() noexcept { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

bool tsc_is_invariant() noexcept {
  static const bool invariant = detect_invariant();
  return invariant;
}

Ticks ticks_now() noexcept { return tsc_is_invariant() ? read_counter() : static_cast<Ticks>(monotonic_ns()); }

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
