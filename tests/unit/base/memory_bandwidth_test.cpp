// SPDX-License-Identifier: Apache-2.0
#include "base/memory.hpp"

#include <cmath>

#include "catch.hpp"

using foretask::base::memory_bandwidth;

TEST_CASE("the memory's bandwidth is measured for each number of threads") {
  const auto measured = memory_bandwidth(5, std::size_t{8} << 20);
  REQUIRE(measured.size() == 5);
  CHECK(measured[2] == Approx((measured[1] + measured[3]) / 2));  // three: not measured
  for (const double one : measured) {
    CHECK(std::isfinite(one));
    CHECK(one > 1e7);   // no memory is that slow
    CHECK(one < 1e13);  // or that fast
  }
}

TEST_CASE("arrays that the memory has no room for are not asked for") {
  CHECK(memory_bandwidth(1, std::size_t{1} << 50).empty());
  CHECK(memory_bandwidth(0, 1 << 20).empty());
}
