// SPDX-License-Identifier: Apache-2.0
// Numbers of tasks and times at another n, against exact ones.
#include "predict/growth/extrapolation.hpp"

#include <cmath>

#include "catch.hpp"

using Catch::Matchers::WithinRel;
using foretask::predict::extrapolate_tasks;
using foretask::predict::extrapolate_time;

TEST_CASE("an input that was run has as many tasks as it had then") {
  const auto grown = extrapolate_tasks({{100, 7}, {200, 31}, {400, 40}}, 200);
  CHECK(grown.value == 31);
  CHECK(grown.is_recorded);
  CHECK(grown.log_sd == 0);
}

TEST_CASE("tasks that grow by a power of n, or exponentially, are told apart by the largest input") {
  // n^3, and Fibonacci's calls: 2 fib(n) - 1.
  CHECK_THAT(extrapolate_tasks({{10, 1000}, {20, 8000}, {40, 64000}}, 80).value, WithinRel(512000, 1e-6));
  CHECK_THAT(extrapolate_tasks({{20, 13529}, {22, 35421}, {24, 92735}}, 26).value, WithinRel(242785, 1e-3));
  CHECK_THAT(extrapolate_tasks({{20, 13529}, {22, 35421}, {24, 92735}}, 23).value, WithinRel(57313, 1e-3));
}

TEST_CASE("three inputs tell a law of two terms, as counts are exact") {
  // n (n - 1) / 2; 1 + 4 + ... + n^2, tasks of a blocked LU decomposition; n + 16.
  CHECK_THAT(extrapolate_tasks({{10, 45}, {20, 190}, {40, 780}}, 160).value, WithinRel(12720, 1e-3));
  CHECK_THAT(extrapolate_tasks({{10, 385}, {20, 2870}, {30, 9455}}, 80).value, WithinRel(173880, 1e-3));
  CHECK_THAT(extrapolate_tasks({{64, 80}, {128, 144}, {256, 272}}, 1024).value, WithinRel(1040, 1e-3));
}

TEST_CASE("a kernel that only larger inputs have is told by those") {
  CHECK(extrapolate_tasks({{10, 0}, {20, 100}, {40, 200}}, 80).value == Approx(400));
  CHECK(extrapolate_tasks({{10, 0}, {20, 100}}, 5).value == 0);
}

TEST_CASE("one input alone says little: the tasks grow as n, and the spread says so") {
  const auto grown = extrapolate_tasks({{100, 50}}, 400);
  CHECK(grown.value == Approx(200));
  CHECK(grown.log_sd > 0.5);
}

TEST_CASE("a time that has a constant part keeps it") {
  // 10 + n.
  CHECK_THAT(extrapolate_time({{10, 20}, {30, 40}, {90, 100}}, 990).value, WithinRel(1000.0, 1e-6));
  // The middle one of an input that was run.
  CHECK(extrapolate_time({{10, 20}, {10, 21}, {10, 90}}, 10).value == 21);
}

TEST_CASE("a time that small inputs were too short for grows as that of the larger") {
  CHECK_THAT(extrapolate_time({{10, 0}, {30, 30}, {90, 90}}, 270).value, WithinRel(270.0, 1e-6));
  CHECK_THAT(extrapolate_time({{5, 0}, {10, 10}, {20, 20}, {40, 40}, {80, 80}}, 320).value, WithinRel(320.0, 0.01));
}

TEST_CASE("of four sizes and more the laws of growth tell") {
  // n^3 / 6 + n, and Fibonacci's calls from 20 to 30 with those of 34: 2 fib(35) - 1.
  CHECK_THAT(extrapolate_tasks({{6, 42}, {12, 300}, {18, 990}, {24, 2328}, {30, 4530}, {36, 7812}}, 72).value,
             WithinRel(62280.0, 1e-3));
  CHECK_THAT(
      extrapolate_tasks({{20, 21891}, {22, 57313}, {24, 150049}, {26, 392835}, {28, 1028457}, {30, 2692537}}, 34).value,
      WithinRel(18454929.0, 1e-3));
  // 5 + n log n to the ms: a time that is disturbed by nothing.
  const auto time = [](double n) { return 5 + n * std::log(n); };
  CHECK_THAT(
      extrapolate_time({{64, time(64)}, {128, time(128)}, {256, time(256)}, {512, time(512)}, {1024, time(1024)}}, 4096)
          .value,
      WithinRel(time(4096), 0.03));
}
