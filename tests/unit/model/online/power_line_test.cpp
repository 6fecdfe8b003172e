// SPDX-License-Identifier: Apache-2.0
#include "model/online/axis_models.hpp"

#include <cmath>

#include "catch.hpp"

using namespace foretask::model;

TEST_CASE("a power of the parameter is found from two samples and extrapolated") {
  PowerLine line(1.0);
  CHECK_FALSE(line.predict(2).has_value());
  line.learn(2, 3 * std::pow(2, 1.5));
  CHECK(*line.predict(100) == Approx(3 * std::pow(2, 1.5)));  // one sample: the same for all
  line.learn(8, 3 * std::pow(8, 1.5));
  CHECK(*line.predict(1000) == Approx(3 * std::pow(1000, 1.5)));
  CHECK(*line.predict(1e-6) == Approx(3 * std::pow(1e-6, 1.5)));
}

TEST_CASE("with forgetting the line is that of the latest samples") {
  PowerLine line(0.9);
  for (int i = 1; i <= 200; ++i) line.learn(i, i);
  for (int i = 1; i <= 200; ++i) line.learn(i, 5.0 * i * i);
  CHECK(*line.predict(300) == Approx(5.0 * 300 * 300).epsilon(1e-6));
}

TEST_CASE("samples without a logarithm are passed over, and nothing is said where there is none") {
  PowerLine line(1.0);
  line.learn(0, 1);
  line.learn(5, 0);
  CHECK_FALSE(line.predict(1).has_value());
  line.learn(1, 2);
  line.learn(2, 4);
  CHECK_FALSE(line.predict(0).has_value());
  CHECK(*line.predict(3) == Approx(6));
}

TEST_CASE("a parameter that does not vary gives the geometric mean, and overflow no prediction") {
  PowerLine line(1.0);
  line.learn(7, 2);
  line.learn(7, 8);
  CHECK(*line.predict(7) == Approx(4));
  CHECK(*line.predict(1e200) == Approx(4));
  PowerLine steep(1.0);
  steep.learn(1, 1);
  steep.learn(1.001, 1e10);
  CHECK_FALSE(steep.predict(1e300).has_value());
}
