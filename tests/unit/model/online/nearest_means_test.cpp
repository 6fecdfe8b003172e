// SPDX-License-Identifier: Apache-2.0
#include "model/online/axis_models.hpp"

#include "catch.hpp"

using foretask::model::NearestMeans;

TEST_CASE("a level is the mean of the latest samples, whatever their parameter") {
  NearestMeans level(1);
  CHECK_FALSE(level.predict(1).has_value());
  level.learn(1, 4);
  level.learn(1000, 6);
  CHECK(*level.predict(3) == 5);
  for (int i = 0; i < 500; ++i) level.learn(1, 50);
  CHECK(*level.predict(3) > 49.9);
}

TEST_CASE("clusters of a stream answer with the mean time of the nearer group") {
  NearestMeans clusters(2);
  CHECK_FALSE(clusters.predict(1).has_value());
  clusters.learn(10, 1);
  CHECK(*clusters.predict(1000) == 1);
  clusters.learn(1000, 100);
  clusters.learn(12, 3);
  CHECK(*clusters.predict(9) == Approx(2));
  CHECK(*clusters.predict(900) == Approx(100));
}
