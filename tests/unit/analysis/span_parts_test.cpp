// SPDX-License-Identifier: Apache-2.0
#include "analysis/run_report.hpp"

#include "catch.hpp"

using namespace foretask;
using wiring::SpanParts;

TEST_CASE("a strand on the path adds its weight to the span, another one nothing") {
  const std::vector<std::int64_t> duration_ns{10, 20, 30, 40};
  const std::vector<std::int64_t> weight_ns{10, 20, 3, 40};  // a loop of 30 ns whose longest chunk is 3 ns
  const SpanParts parts({.length = 53, .nodes = {0, 2, 3}}, duration_ns, weight_ns);
  CHECK(parts.of(0, 10) == 10);
  CHECK(parts.of(1, 20) == 0);
  CHECK(parts.of(2, 30) == 3);
  CHECK(parts.of(3, 40) == 40);
}
