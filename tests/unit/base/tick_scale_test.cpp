// SPDX-License-Identifier: Apache-2.0
#include "base/tick_scale.hpp"

#include <cfenv>
#include <cstdint>

#include "catch.hpp"

using foretask::base::TickScale;

TEST_CASE("ticks are ns to 1/1024, and nothing is rounded in floating point") {
  // 2.45 GHz: 1 / 2.45 ns a tick.
  const TickScale scale = TickScale::of(1 / 2.45);
  std::feclearexcept(FE_ALL_EXCEPT);
  const double none = scale.ns(0);
  const double few = scale.ns(245);
  const double second = scale.ns(2'450'000'000);
  const double day = scale.ns(std::uint64_t{2'450'000'000} * 86'400);
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);
  CHECK(raised == 0);
  CHECK(none == 0);
  CHECK(few == Approx(100).margin(1.0 / 1024));
  CHECK(second == Approx(1e9).margin(0.01));
  CHECK(day == Approx(86'400e9).margin(900));
}

TEST_CASE("a clock that ticks in ns keeps them") {
  CHECK(TickScale().ns(123'456'789) == 123'456'789.0);
  CHECK(TickScale::of(1).ns(123'456'789) == 123'456'789.0);
}
