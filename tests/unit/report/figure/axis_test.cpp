// SPDX-License-Identifier: Apache-2.0
#include "report/figure/axis.hpp"

#include "catch.hpp"

using foretask::report::count_ticks;
using foretask::report::log_places;
using foretask::report::Tick;
using foretask::report::time_axis;

namespace {

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> found;
  for (const Tick& tick : ticks) found.push_back(tick.label);
  return found;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("ticks are round numbers, few enough, and reach the end") {
  CHECK(labels(count_ticks(16, 6)) == Labels{"0", "5", "10", "15"});
  CHECK(labels(count_ticks(1000, 6)) == Labels{"0", "200", "400", "600", "800", "1000"});
  CHECK(labels(count_ticks(3, 6)) == Labels{"0", "1", "2", "3"});
  CHECK(labels(count_ticks(1, 6)) == Labels{"0", "1"});
  CHECK(labels(count_ticks(0, 6)) == Labels{"0"});
  for (double last = 1; last < 2e6; last *= 1.37) CHECK(count_ticks(last, 6).size() <= 6);
}

TEST_CASE("an axis of time has the largest unit that it is at least one of") {
  CHECK(time_axis(999, 5).unit == "ns");
  CHECK(time_axis(1000, 5).unit == "us");
  CHECK(time_axis(2.5e6, 5).unit == "ms");
  CHECK(time_axis(9e12, 5).unit == "s");
  CHECK(labels(time_axis(1.2e9, 5).ticks) == Labels{"0", "0.5", "1"});
  CHECK(time_axis(1.2e9, 5).ticks[1].at == 5e8);
  CHECK(labels(time_axis(0, 5).ticks) == Labels{"0"});
}

TEST_CASE(
    "a logarithmic axis has 1, 2 and 5 times powers of ten, of many decades the powers, of a short one its ends") {
  CHECK(log_places(1, 100) == std::vector<double>{1, 2, 5, 10, 20, 50, 100});
  CHECK(log_places(3, 20000) == std::vector<double>{10, 100, 1000, 10000});
  CHECK(log_places(2.1, 4.9) == std::vector<double>{2.1, 4.9});
}
