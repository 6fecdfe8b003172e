// SPDX-License-Identifier: Apache-2.0
// How far an earlier run's course is believed, against shares counted by hand.
#include "predict/progress/course.hpp"

#include "catch.hpp"

using foretask::predict::Course;
using foretask::predict::share_at;

namespace {

// The first half of the work takes a quarter of the time.
Course bent(double runs) { return Course({{0, 0}, {0.5, 0.25}, {1, 1}}, runs); }

}  // namespace

TEST_CASE("a course is straight between its points, and from nothing to the whole beyond them") {
  const std::vector<foretask::model::ProgressPoint> part{{0.25, 0.5}, {0.75, 0.6}};
  CHECK(share_at(part, 0) == 0);
  CHECK(share_at(part, 0.125) == Approx(0.25));
  CHECK(share_at(part, 0.25) == Approx(0.5));
  CHECK(share_at(part, 0.5) == Approx(0.55));
  CHECK(share_at(part, 0.875) == Approx(0.8));
  CHECK(share_at(part, 1) == Approx(1));
  CHECK(share_at({}, 0.3) == Approx(0.3));
}

TEST_CASE("before a run shows its course the even one counts as one more of the earlier") {
  // 3 of 4: 0.75 x 0.25 + 0.25 x 0.5.
  CHECK(bent(3).time_share(0.5) == Approx(0.3125));
  CHECK(bent(1).belief() == Approx(0.5));
}

TEST_CASE("without an earlier course time goes with the work") {
  Course course({}, 0);
  course.note(0.3, 100);
  CHECK(course.time_share(0.3) == 0.3);
  CHECK(course.belief() == 0);
}

TEST_CASE("a run that follows the earlier course is taken for one of them") {
  Course course = bent(1);
  // Two thirds of the work done at half of 1000 ns: 0.25 + (1 / 6) x 1.5 = 0.5 of the time.
  for (const auto& [done, time] : {std::pair(0.1, 50.0),
                                   {0.2, 100.0},
                                   {0.3, 150.0},
                                   {0.4, 200.0},
                                   {0.5, 250.0},
                                   {0.55, 325.0},
                                   {0.6, 400.0},
                                   {2.0 / 3, 500.0}})
    course.note(done, time);
  CHECK(course.belief() > 0.95);
  CHECK(course.time_share(2.0 / 3) == Approx(0.5).epsilon(0.02));
}

TEST_CASE("a run that goes evenly is not bent by an earlier one") {
  Course course = bent(1);
  for (int i = 1; i <= 15; ++i) course.note(0.05 * i, 50.0 * i);
  CHECK(course.belief() < 0.05);
  CHECK(course.time_share(0.75) == Approx(0.75).epsilon(0.02));
}

TEST_CASE("while both courses agree neither is believed more") {
  Course course({{0, 0}, {0.5, 0.5}, {1, 1}}, 1);
  for (int i = 1; i <= 9; ++i) course.note(0.1 * i, 10.0 * i * i);
  CHECK(course.belief() == Approx(0.5));
}

TEST_CASE("where the first part of the work costs next to nothing, the first moment tells") {
  // Of 1000 ns the first fifth takes 10.
  Course course({{0, 0}, {0.2, 0.01}, {1, 1}}, 1, 1000);
  course.note(0.2, 10);
  CHECK(course.time_share(0.2) == Approx(0.01).epsilon(0.05));
  Course even({{0, 0}, {0.2, 0.01}, {1, 1}}, 1, 1000);
  even.note(0.2, 200);
  CHECK(even.time_share(0.2) == Approx(0.2).epsilon(0.05));
}
