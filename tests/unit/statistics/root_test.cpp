// SPDX-License-Identifier: Apache-2.0
// Expected values: constants that are known to many digits.
#include "statistics/root.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

using foretask::statistics::least_between;
using foretask::statistics::root_between;

TEST_CASE("a root between two places is found to the last digits") {
  // The fixed point of the cosine; Wallis's equation of 1685, with which Newton showed his method.
  CHECK(root_between([](double x) { return std::cos(x) - x; }, 0, 1).value() ==
        Approx(0.7390851332151607).epsilon(1e-15));
  CHECK(root_between([](double x) { return x * x * x - 2 * x - 5; }, 2, 3).value() ==
        Approx(2.0945514815423265).epsilon(1e-15));
  CHECK(root_between([](double x) { return 1 - x; }, 1, 2).value() == 1);
  CHECK(root_between([](double x) { return 2 - x; }, 1, 2).value() == 2);
}

TEST_CASE("a flat function and a step are no obstacle") {
  CHECK(root_between([](double x) { return std::pow(x - 0.25, 9); }, 0, 1).value() == Approx(0.25).margin(1e-2));
  const double step = root_between([](double x) { return x < 0.3 ? -1.0 : 1.0; }, 0, 1).value();
  CHECK(step >= 0.3);  // the upper end
  CHECK(step == Approx(0.3).epsilon(1e-14));
}

TEST_CASE("where there is no root nothing is answered") {
  CHECK_FALSE(root_between([](double x) { return x * x + 1; }, -1, 1));
  CHECK_FALSE(root_between([](double) { return std::numeric_limits<double>::quiet_NaN(); }, -1, 1));
}

TEST_CASE("golden sections close in on the least value") {
  int calls = 0;
  const auto square = [&calls](double x) {
    ++calls;
    return (x - 2) * (x - 2);
  };
  CHECK(least_between(square, -1, 6, 40) == Approx(2).margin(1e-7));
  CHECK(calls == 42);
  // At an end of the interval, where the least value lies beyond it.
  CHECK(least_between([](double x) { return x; }, 3, 4, 40) == Approx(3).margin(1e-7));
}
