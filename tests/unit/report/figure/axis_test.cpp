// SPDX-License-Identifier: Apache-2.0
#include "report/figure/axis.hpp"

#include "catch.hpp"

using foretask::report::Axis;
using foretask::report::count_ticks;
using foretask::report::Extent;
using foretask::report::log_places;
using foretask::report::log_time_axis;
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
  CHECK(time_axis("time", 999, 5).title == "time (ns)");
  CHECK(time_axis("time", 1000, 5).title == "time (us)");
  CHECK(time_axis("time", 2.5e6, 5).title == "time (ms)");
  CHECK(time_axis("time", 9e12, 5).title == "time (s)");
  CHECK(labels(time_axis("time", 1.2e9, 5).ticks) == Labels{"0", "0.5", "1"});
  CHECK(time_axis("time", 1.2e9, 5).ticks[1].at == 5e8);
  CHECK(labels(time_axis("time", 0, 5).ticks) == Labels{"0"});
  CHECK(labels(log_time_axis("time", 1e6, 1e7).ticks) == Labels{"1", "2", "5", "10"});
}

TEST_CASE("an axis of cores has a tick for each number") {
  const Axis axis = foretask::report::core_axis({1, 8, 1024});
  CHECK(labels(axis.ticks) == Labels{"1", "8", "1,024"});
  CHECK((axis.first == 1 && axis.last == 1024 && axis.is_logarithmic));
}

TEST_CASE("an extent leaves out what a logarithmic axis cannot show, and says so") {
  Extent extent;
  for (const double value : {3.0, 2.0, 7.0}) extent.take(value);
  CHECK((extent.low == 2 && extent.high == 7 && !extent.has_others));
  extent.take(0);
  CHECK((extent.low == 2 && extent.high == 7 && extent.has_others));
}

TEST_CASE(
    "a logarithmic axis has 1, 2 and 5 times powers of ten, of many decades the powers, of a short one its ends") {
  CHECK(log_places(1, 100) == std::vector<double>{1, 2, 5, 10, 20, 50, 100});
  CHECK(log_places(3, 20000) == std::vector<double>{10, 100, 1000, 10000});
  CHECK(log_places(2.1, 4.9) == std::vector<double>{2.1, 4.9});
}
