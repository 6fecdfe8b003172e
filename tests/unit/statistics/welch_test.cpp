// SPDX-License-Identifier: Apache-2.0
#include "statistics/tails.hpp"

#include <array>

#include "catch.hpp"

using foretask::statistics::welch_difference;

// Student's data of 1908, which R has as `sleep`. R: t.test(extra ~ group, data = sleep).
TEST_CASE("Welch's interval is that of R") {
  constexpr std::array first{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  constexpr std::array second{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  const auto found = welch_difference(first, second, 0.95);
  REQUIRE(found);
  CHECK(found->difference == Approx(1.58));
  CHECK(found->low == Approx(-0.2054832).epsilon(1e-6));
  CHECK(found->high == Approx(3.3654832).epsilon(1e-7));
  CHECK(found->freedom == Approx(17.776).epsilon(1e-4));
}

TEST_CASE("there is no interval of one value, nor of values that are all the same") {
  constexpr std::array one{1.0};
  constexpr std::array same{2.0, 2.0};
  constexpr std::array two{1.0, 3.0};
  CHECK_FALSE(welch_difference(one, two, 0.95));
  CHECK_FALSE(welch_difference(two, one, 0.95));
  CHECK_FALSE(welch_difference(same, same, 0.95));
  // By hand: variances 0 and 2, so that the second has all of the error, 1, and the one degree of freedom. t = 12.7062.
  const auto found = welch_difference(same, two, 0.95);
  REQUIRE(found);
  CHECK(found->freedom == Approx(1));
  CHECK(found->high == Approx(12.7062).epsilon(1e-5));
}
