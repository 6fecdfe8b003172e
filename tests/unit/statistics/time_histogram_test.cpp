// SPDX-License-Identifier: Apache-2.0
#include "statistics/time_histogram.hpp"

#include "catch.hpp"

using foretask::statistics::TimeHistogram;

TEST_CASE("the mean of times without outliers is that of all") {
  TimeHistogram times;
  CHECK(times.mean_ns() == 0);
  for (const int ns : {0, 10, 20, 30, 90}) times.add(ns);
  CHECK(times.count() == 5);
  CHECK(times.mean_ns() == 30);
  CHECK(times.sum_ns() == 150);
}

TEST_CASE("a time hundreds of times the median does not count") {
  TimeHistogram times;
  for (int i = 0; i < 99; ++i) times.add(40);
  times.add(5'000'000);
  CHECK(times.count() == 100);
  CHECK(times.mean_ns() == 40);
}

TEST_CASE("a negative time counts as none") {
  TimeHistogram times;
  times.add(-5);
  times.add(5);
  CHECK(times.mean_ns() == 2.5);
}
