// SPDX-License-Identifier: Apache-2.0
#include "predict/program/bounds.hpp"

#include <cmath>

#include "catch.hpp"

using namespace foretask::predict;

TEST_CASE("no time is below the work law and the span law, none is promised above Cilkview's bound") {
  // The graph of nine strands of one unit with a longest path of six (Namsraijav and Taura, figure 1).
  CHECK(lower_bound(9, 6, 1) == 9);
  CHECK(lower_bound(9, 6, 2) == 6);
  CHECK(lower_bound(90, 6, 10) == 9);
  CHECK(lower_bound(90, 0, 10) == 9);  // span not known
  // 9 / 2 + 1.7 * 8.
  CHECK(upper_bound(9, 8, 2) == Approx(18.1));
  CHECK(std::isnan(upper_bound(9, 0, 2)));
}
