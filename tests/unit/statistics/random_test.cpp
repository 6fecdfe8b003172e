// SPDX-License-Identifier: Apache-2.0
// Expected values: the first numbers of SplitMix64 for the seed 1234567, as published with the algorithm's reference
// implementation.
#include "statistics/random.hpp"

#include <array>

#include "catch.hpp"

using namespace foretask::statistics;

TEST_CASE("random numbers are SplitMix64's") {
  Random random(1234567);
  for (const std::uint64_t expected :
       {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U, 16408922859458223821U})
    CHECK(random() == expected);
  Random same(random.state());
  CHECK(same() == random());
}

TEST_CASE("numbers below a limit fall evenly on all of them") {
  Random random(1);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts[random.below(7U)];
  for (const int count : counts) CHECK(std::abs(count - 10'000) < 500);  // five standard deviations
}

TEST_CASE("a number by its place does not depend on those before it") {
  const RandomAt random(1, 2);
  CHECK(random.number(5) == RandomAt(1, 2).number(5));
  CHECK(random.number(5) != RandomAt(1, 3).number(5));
  CHECK(random.number(5) != RandomAt(2, 2).number(5));
  std::array<int, 7> counts{};
  for (std::uint64_t i = 0; i < 70'000; ++i) ++counts[random.below(7, i)];
  for (const int count : counts) CHECK(std::abs(count - 10'000) < 500);  // five standard deviations
}
