// SPDX-License-Identifier: Apache-2.0
#include "model/fit/level.hpp"

#include <catch2/catch.hpp>

TEST_CASE("a level is the mean of the latest samples, whatever their parameter") {
  foretask::model::Level level;
  CHECK_FALSE(level.predict(1).has_value());
  level.learn(1, 4);
  level.learn(1000, 6);
  CHECK(*level.predict(3) == 5);
  for (int i = 0; i < 500; ++i) level.learn(1, 50);
  CHECK(*level.predict(3) > 49.9);
}
