// SPDX-License-Identifier: Apache-2.0
#include "model/local_means.hpp"

#include <catch2/catch.hpp>

using namespace foretask::model;

TEST_CASE("samples of one parameter are averaged, and lines join the averages") {
  LocalMeans means;
  CHECK_FALSE(means.predict(1).has_value());
  means.learn(100, 8);
  means.learn(100, 12);
  means.learn(200, 30);
  CHECK(*means.predict(100) == Approx(10));
  CHECK(*means.predict(150) == Approx(20));
  CHECK(*means.predict(1) == Approx(10));
  CHECK(*means.predict(1e9) == Approx(30));
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
