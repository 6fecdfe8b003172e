// SPDX-License-Identifier: Apache-2.0
#include "model/online/axis_models.hpp"

#include "catch.hpp"

using namespace foretask::model;

TEST_CASE("samples of one parameter are averaged, and lines join the averages") {
  LocalMeans means;
  CHECK_FALSE(means.predict(1).has_value());
  means.learn(100, 8);
  means.learn(100, 12);
  means.learn(200, 30);
  CHECK(*means.predict(100) == Approx(10));
  CHECK(*means.predict(150) == Approx(20));
}

TEST_CASE("beyond the outermost means time goes on as the power that it is there") {
  LocalMeans means;
  for (const double x : {10.0, 20.0, 40.0, 80.0}) means.learn(x, 3 * x * x);
  CHECK(*means.predict(100) == Approx(3 * 100 * 100));
  CHECK(*means.predict(8) == Approx(3 * 8 * 8));
  means.learn(81, 3 * 81 * 81);  // its own step's neighbour, too near to say how time grows
  CHECK(*means.predict(90) == Approx(3 * 90 * 90).epsilon(0.01));
}

TEST_CASE("where all parameters are alike there is no power to go on with, and overflow is no prediction") {
  LocalMeans means;
  means.learn(100, 8);
  means.learn(120, 30);
  CHECK(*means.predict(1000) == 30);
  CHECK(*means.predict(1) == 8);
  means.learn(1000, 1e200);
  CHECK_FALSE(means.predict(1e300).has_value());
}

TEST_CASE("a step's mean follows a change of its time") {
  LocalMeans means;
  for (int i = 0; i < 10'000; ++i) means.learn(100, 1);
  for (int i = 0; i < 200; ++i) means.learn(100, 2);
  CHECK(*means.predict(100) > 1.9);
}

TEST_CASE("a parameter of 0 has a step of its own") {
  LocalMeans means;
  means.learn(10, 5);
  means.learn(0, 1);
  CHECK(*means.predict(0) == 1);
  CHECK(*means.predict(5) == Approx(3));
}
