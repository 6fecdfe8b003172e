// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#include <chrono>
#include <cmath>
#include <thread>

#include "catch.hpp"
#include "foretask/hook.h"

namespace base = foretask::base;

TEST_CASE("the recording's clock keeps step with CLOCK_MONOTONIC") {
  // Whatever an interval measures on one clock, it measures on the other, at the rate found over an earlier interval.
  const base::ClockPair first = base::read_clock_pair();
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  const base::ClockPair second = base::read_clock_pair();
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  const base::ClockPair third = base::read_clock_pair();
  const double rate = base::ticks_per_second(first, second);
  const double by_ticks = static_cast<double>(third.ticks - second.ticks) / rate * 1e9;
  const auto by_monotonic = static_cast<double>(third.monotonic_ns - second.monotonic_ns);
  CHECK(by_monotonic >= 40e6);
  CHECK(std::abs(by_ticks / by_monotonic - 1) < 0.01);
  CHECK(rate > 0.99e9);  // numbers of ticks in the code count on it
}

TEST_CASE("the recording's clock never runs back on a thread") {
  base::Ticks before = base::ticks_now();
  int backwards = 0;
  for (int i = 0; i < 100'000; ++i) {
    const base::Ticks now = base::ticks_now();
    if (now < before) ++backwards;
    before = now;
  }
  CHECK(backwards == 0);
}

TEST_CASE("the hooks' inline clock is the library's clock") {
  CHECK((foretask_clock_is_tsc() != 0) == base::tsc_is_invariant());
  foretask_stream stream{};
  stream.clock_is_tsc = static_cast<std::uint32_t>(foretask_clock_is_tsc());
  const base::Ticks before = base::ticks_now();
  const base::Ticks between = foretask_stream_ticks(&stream);
  const base::Ticks after = base::ticks_now();
  CHECK(before <= between);
  CHECK(between <= after);
  stream.clock_is_tsc = 0;
  const std::int64_t ns = base::monotonic_ns();
  CHECK(foretask_stream_ticks(&stream) >= static_cast<std::uint64_t>(ns));
  CHECK(foretask_stream_ticks(&stream) < static_cast<std::uint64_t>(ns) + 1'000'000'000U);
}

TEST_CASE("two instants that are one give no rate but the default") {
  const base::ClockPair pair = base::read_clock_pair();
  CHECK(base::ticks_per_second(pair, pair) == 1e9);
  CHECK(base::ticks_per_second(pair, {pair.ticks + 5000, pair.monotonic_ns + 999}) == 1e9);
  if (base::tsc_is_invariant()) CHECK(base::ticks_per_second({0, 0}, {3000, 1000}) == Approx(3e9));
}
