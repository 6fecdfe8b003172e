// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/probe_cost.hpp"

#include "base/clock.hpp"
#include "catch.hpp"

namespace base = foretask::base;

TEST_CASE("every kind of event costs something, and no more than a microsecond or so") {
  const base::ClockPair from = base::read_clock_pair();
  while (base::monotonic_ns() - from.monotonic_ns < 5'000'000) {
  }
  const auto costs = foretask::runtime::measure_probe_costs(base::ticks_per_second(from, base::read_clock_pair()));
  CHECK(costs[0] == 0);
  // A time stamp alone takes some 7 ns on any machine that this runs on; sanitizers make all of it tens of times
  // dearer.
  for (std::uint32_t kind = 1; kind < FORETASK_EVENT_KINDS; ++kind) {
    if (kind == FORETASK_EVENT_EXTENDED) continue;
    CAPTURE(kind);
    CHECK(costs[kind] > 1);
    CHECK(costs[kind] < 20'000);
  }
}

TEST_CASE("costs are in ns whatever the clock's rate is said to be") {
  // The same ticks, taken for a clock of twice the rate, are half the time; medians of two measurements differ little.
  const auto slow = foretask::runtime::measure_probe_costs(1e9);
  const auto fast = foretask::runtime::measure_probe_costs(2e9);
  CHECK(slow[FORETASK_EVENT_TASK_END] / fast[FORETASK_EVENT_TASK_END] > 1.2);
  CHECK(slow[FORETASK_EVENT_TASK_END] / fast[FORETASK_EVENT_TASK_END] < 3.3);
}

TEST_CASE("where subtrees are contracted, a task that is counted costs something as well") {
  constexpr bool kContracts = true;
  const auto costs = foretask::runtime::measure_probe_costs(1e9, kContracts);
  CHECK(costs[FORETASK_EVENT_SUBTREE] > 1);
  CHECK(costs[FORETASK_EVENT_TASK_CREATE] > 1);
}
