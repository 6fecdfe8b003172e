// SPDX-License-Identifier: Apache-2.0
#include "base/run_mean.hpp"

#include <limits>

#include "catch.hpp"

using foretask::base::RunMean;

TEST_CASE("a mean of runs is their mean, and knows how many they are") {
  RunMean mean;
  CHECK(mean.ticks() == 0);
  CHECK_FALSE(mean.is_known());
  CHECK_FALSE(mean.is_on_trial());
  mean = mean.with(100);
  CHECK(mean.ticks() == 100);
  CHECK(mean.is_on_trial());
  mean = mean.with(110);
  CHECK(mean.ticks() == 105);
  CHECK(mean.is_known());
  mean = mean.with(120);
  CHECK(mean.ticks() == 110);
  CHECK(mean.runs() == 3);
}

TEST_CASE("of two runs that differ by more than twice the shorter one is believed") {
  CHECK(RunMean().with(50'000).with(2'000).ticks() == 2'000);
  CHECK(RunMean().with(2'000).with(50'000).ticks() == 2'000);
}

TEST_CASE("one outlier moves a mean by a quarter at most") {
  RunMean mean(1000, 32);
  CHECK(mean.with(1'000'000'000).ticks() == 1250);
  CHECK(mean.with(1).ticks() == 968);  // 1000 - 999 / 32 = 968.8
  mean = RunMean().with(1000).with(1000);
  CHECK(mean.with(1'900).ticks() == 1250);
}

TEST_CASE("a mean follows the latest runs") {
  RunMean mean(1000, 32);
  for (int i = 0; i < 32; ++i) mean = mean.with(1500);
  CHECK(mean.ticks() > 1300);  // 1500 - 500 / e
  for (int i = 0; i < 200; ++i) mean = mean.with(1500);
  CHECK(mean.ticks() > 1490);
}

TEST_CASE("a prediction is replaced by the first run") {
  const RunMean predicted(1000, 0);
  CHECK(predicted.ticks() == 1000);
  CHECK(predicted.is_on_trial());
  CHECK(predicted.with(77).ticks() == 77);
}

TEST_CASE("a mean is one word, whatever it is of") {
  for (const RunMean mean : {RunMean(), RunMean(1, 1), RunMean(123'456'789, 32), RunMean(5, 0),
                             RunMean(std::numeric_limits<std::uint64_t>::max(), 1000)}) {
    const RunMean again = RunMean::of_bits(mean.bits());
    CHECK(again.ticks() == mean.ticks());
    CHECK(again.runs() == mean.runs());
  }
  CHECK(RunMean(0, 1).ticks() == 1);
}
