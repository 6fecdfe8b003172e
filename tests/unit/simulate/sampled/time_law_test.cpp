// SPDX-License-Identifier: Apache-2.0
// The law of tasks' times against values worked out by hand.
#include "simulate/sampled/time_law.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using foretask::simulate::TimeLaw;

namespace {

double mean_of(const TimeLaw& law, const std::vector<double>& sorted) {
  constexpr int kPlaces = 400'000;
  const auto gaps = static_cast<double>(sorted.size() + 1);
  double mean = 0;
  for (int i = 0; i < kPlaces; ++i) mean += law.at(sorted, gaps * (i + 0.5) / kPlaces).time / kPlaces;
  return mean;
}

}  // namespace

TEST_CASE("the law of two times has a third below, between and beyond each, and their mean") {
  // 10 and 30: below down to 0; between and beyond 20 each, times ((3 * 20 / 2) + 5) / (20 + 10 + 20) = 0.7.
  const std::vector<double> sorted{10, 30};
  const TimeLaw law(sorted);
  CHECK(law.at(sorted, 0.5).time == Approx(5));
  CHECK(law.at(sorted, 1).time == Approx(10));
  CHECK(law.at(sorted, 1.5).time == Approx(17));
  CHECK(law.at(sorted, 2).time == Approx(24));
  CHECK(law.at(sorted, 3 - std::exp(-1.0)).time == Approx(24 + 14));
  CHECK(law.at(sorted, 3).time < 1000);
  CHECK(mean_of(law, sorted) == Approx(20).epsilon(1e-4));
}

TEST_CASE("a law keeps the mean of the times, is never negative and rises") {
  for (const std::vector<double>& sorted :
       {std::vector<double>{0, 0, 0, 1, 500}, {1, 2, 4, 8, 16, 32, 64, 128}, {9.9, 10, 10.1, 10.1, 10.3}, {0, 7}}) {
    const TimeLaw law(sorted);
    double mean = 0;
    for (const double time : sorted) mean += time / static_cast<double>(sorted.size());
    CHECK(mean_of(law, sorted) == Approx(mean).epsilon(1e-3));
    double before = 0;
    for (double place = 1e-6; place < static_cast<double>(sorted.size()) + 1; place += 0.01) {
      const TimeLaw::Drawn drawn = law.at(sorted, place);
      CHECK(drawn.time >= before);
      CHECK((drawn.time == 0 || sorted[drawn.nearest] > 0));
      before = drawn.time;
    }
  }
}

TEST_CASE("times that are all the same stay so") {
  for (const double time : {0.0, 3.0}) {
    const std::vector<double> sorted(7, time);
    const TimeLaw law(sorted);
    for (const double place : {1e-9, 0.7, 3.2, 7.9999}) CHECK(law.at(sorted, place).time == time);
  }
}
