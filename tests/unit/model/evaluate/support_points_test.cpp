// SPDX-License-Identifier: Apache-2.0
#include "model/evaluate/prequential.hpp"

#include <cmath>

#include "catch.hpp"

using namespace foretask::model;

TEST_CASE("nothing is predicted before the first support point") {
  const SupportPoints points;
  CHECK(points.wants(5));
  CHECK_FALSE(points.predict(5).has_value());
}

TEST_CASE("a range widens below 90 % and above 110 %, and not at them") {
  SupportPoints points;
  points.learn(1000, 2000);
  CHECK_FALSE(points.wants(900));
  CHECK(points.wants(899));
  CHECK_FALSE(points.wants(1100));
  CHECK(points.wants(1101));
}

TEST_CASE("what lies within the range is never a support point, however far from the next one") {
  SupportPoints points;
  points.learn(10, 1);
  points.learn(1000, 5);
  CHECK_FALSE(points.wants(500));
  points.learn(505, 1000);
  CHECK(*points.predict(505) == Approx(3));  // half way from 1 to 5
}

TEST_CASE("between support points time lies on a line, outside it is the outermost one's") {
  SupportPoints points;
  points.learn(100, 10);
  points.learn(200, 30);
  points.learn(50, 4);
  CHECK(*points.predict(150) == Approx(20));
  CHECK(*points.predict(75) == Approx(7));
  CHECK(*points.predict(100) == 10);
  CHECK(*points.predict(210) == 30);
  CHECK(*points.predict(1) == 4);
}

TEST_CASE("a parameter of 0 is a support point like any other") {
  SupportPoints points;
  points.learn(0, 3);
  CHECK_FALSE(points.wants(0));
  CHECK(points.wants(1e-300));
  points.learn(1, 5);
  CHECK(*points.predict(0.5) == Approx(4));
}

TEST_CASE("a stream over the whole range of doubles leaves a bounded number of support points") {
  SupportPoints points;
  std::size_t chosen = 0;
  // Each just beyond the range so far: the worst that can come.
  for (double x = 1e-300; x < 1e300; x = std::nextafter(1.1 * x, INFINITY)) {
    chosen += points.wants(x) ? 1 : 0;
    points.learn(x, 1);
  }
  CHECK(chosen < 16'000);
}
