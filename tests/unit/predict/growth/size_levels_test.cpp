// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/size_levels.hpp"

#include <cmath>

#include "catch.hpp"

namespace foretask::predict {
namespace {

TEST_CASE("of three runs the least is the undisturbed one, of nine the second") {
  CHECK(undisturbed({7}) == 7);
  CHECK(undisturbed({9, 8}) == 8);
  CHECK(undisturbed({30, 10, 20}) == 10);
  CHECK(undisturbed({9, 8, 7, 6, 5, 4, 3, 2, 1}) == Approx(2));  // place 0.2 (9 + 1) from 1 on
}

TEST_CASE("runs that were disturbed do not make the others' median unsure") {
  // Nothing lies below the medians but in the second group: log(100 / 90) there, counted once beside three of 0.
  const auto deviations = median_deviations({{50, 50, 400}, {90, 100, 170}, {70, 70, 75}});
  CHECK(deviations[0] == 0);
  CHECK(deviations[1] == Approx(1.2533 * std::log(100.0 / 90) / 2 / std::sqrt(3)));
  CHECK(deviations[2] == 0);
  CHECK(median_deviations({{5}, {9}}) == std::vector<double>{0, 0});
}

}  // namespace
}  // namespace foretask::predict
