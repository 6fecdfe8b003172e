// SPDX-License-Identifier: Apache-2.0
// What earlier runs say of another input.
#include "predict/progress/forecast.hpp"

#include <algorithm>

#include "catch.hpp"

using Catch::Matchers::WithinRel;
using foretask::model::ProgramRow;
using foretask::predict::forecast;

namespace {

constexpr double kMs = 1e6;

// 10 ms of serial part before and 10 behind, and n tasks of 1 ms on p workers that are never idle.
ProgramRow even_run(double n, double p) {
  ProgramRow row;
  row.n = n;
  row.p = p;
  row.head = 10 * kMs;
  row.serial = 20 * kMs;
  row.work = n * kMs;
  row.time = row.serial + row.work / p;
  row.kernels = {{"app+0x10", n, n * kMs}};
  row.build_id = "b1";
  return row;
}

}  // namespace

TEST_CASE("the same input on as many workers takes the same time") {
  const auto found = forecast({even_run(100, 2), even_run(200, 2)}, "b1", "", 200, 2);
  REQUIRE(found);
  CHECK(found->same_input);
  CHECK(found->time == Approx(120 * kMs));
  CHECK(found->low < found->time);
  CHECK(found->high > found->time);
  CHECK(found->serial == Approx(20 * kMs));
  REQUIRE(found->kernels.size() == 1);
  CHECK(found->kernels[0].tasks == 200);
  CHECK(found->kernels[0].work == Approx(200 * kMs));
  CHECK(found->rest_work == 0);
}

TEST_CASE("a larger input, and more workers than were seen, are predicted from those that were") {
  const auto larger = forecast({even_run(50, 2), even_run(100, 2), even_run(200, 2)}, "b1", "", 800, 2);
  REQUIRE(larger);
  CHECK_FALSE(larger->same_input);
  CHECK_THAT(larger->kernels.at(0).tasks, WithinRel(800.0, 0.01));
  CHECK_THAT(larger->time, WithinRel(420 * kMs, 0.02));
  const auto wider = forecast({even_run(100, 1), even_run(200, 1)}, "b1", "", 200, 4);
  REQUIRE(wider);
  CHECK_THAT(wider->time, WithinRel(70 * kMs, 0.02));
}

TEST_CASE("one or two inputs say nothing of another one") {
  CHECK_FALSE(forecast({even_run(100, 2)}, "b1", "", 200, 2));
  CHECK_FALSE(forecast({even_run(100, 2), even_run(200, 2), even_run(200, 2)}, "b1", "", 400, 2));
}

TEST_CASE("what disturbs a small kernel is not its growth") {
  std::vector<ProgramRow> rows{even_run(100, 2), even_run(200, 2), even_run(50, 2)};
  rows[0].kernels.push_back({"app+0x20", 1, 0.1 * kMs});
  rows[1].kernels.push_back({"app+0x20", 1, 3.1 * kMs});
  rows[2].kernels.push_back({"app+0x20", 1, 1.6 * kMs});
  const auto found = forecast(rows, "b1", "", 800, 2);
  REQUIRE(found);
  REQUIRE(found->kernels.size() == 2);
  CHECK(found->kernels[1].kernel == "app+0x20");
  CHECK(found->kernels[1].work == Approx(1.6 * kMs));  // their mean
}

TEST_CASE("runs on p and on 2 p workers say what doubling brings") {
  const auto found = forecast({even_run(200, 2), even_run(200, 4)}, "b1", "", 200, 2);
  REQUIRE(found);
  CHECK(found->doubled == Approx(2));
}

TEST_CASE("runs of other inputs, or of no known size, are not taken for this one's") {
  ProgramRow other = even_run(100, 2);
  other.inputs = "m=80";
  ProgramRow unsaid = even_run(100, 2);
  unsaid.n = 0;
  CHECK_FALSE(forecast({other}, "b1", "", 100, 2));
  CHECK_FALSE(forecast({unsaid}, "b1", "", 100, 2));
  CHECK_FALSE(forecast({even_run(100, 2)}, "b1", "", 0, 2));
  CHECK_FALSE(forecast({}, "b1", "", 100, 2));
  CHECK_FALSE(forecast({even_run(100, 2)}, "b1", "", 100, 0));
  CHECK(forecast({unsaid}, "b1", "", 0, 2));
  CHECK(forecast({other}, "b1", "m=80", 100, 2));
}

TEST_CASE("of another build the times count, and none of its kernels") {
  const auto found = forecast({even_run(100, 2)}, "b2", "", 100, 2);
  REQUIRE(found);
  CHECK(found->kernels.empty());
  CHECK(found->rest_work == Approx(100 * kMs));
  CHECK(found->time == Approx(70 * kMs));
}

TEST_CASE("of several watched runs the middle one tells the course") {
  std::vector<ProgramRow> rows(3, even_run(100, 2));
  rows[0].curve = {{0.25, 0.5}, {0.75, 0.8}};
  rows[1].curve = {{0.25, 0.1}, {0.75, 0.2}};
  rows[2].curve = {{0.25, 0.3}, {0.75, 0.7}};
  const auto found = forecast(rows, "b1", "", 100, 2);
  REQUIRE(found);
  CHECK(found->curve.front().done == 0);
  CHECK(found->curve.back().time == 1);
  for (std::size_t i = 1; i < found->curve.size(); ++i) CHECK(found->curve[i].time > found->curve[i - 1].time);
  const auto quarter =
      std::find_if(found->curve.begin(), found->curve.end(), [](const auto& point) { return point.done == 0.25; });
  REQUIRE(quarter != found->curve.end());
  CHECK(quarter->time == Approx(0.3));
  CHECK(found->curve_runs == 3);
}

TEST_CASE("what a recording says of the span and the delay is not lost beside runs that were watched alone") {
  ProgramRow recorded = even_run(100, 2);
  recorded.span = 25 * kMs;
  recorded.delay = 6 * kMs;
  recorded.no_work = 14 * kMs;
  const auto found = forecast({even_run(100, 2), even_run(100, 2), recorded}, "b1", "", 100, 2);
  REQUIRE(found);
  CHECK(found->span == Approx(25 * kMs));
  CHECK(found->delay == Approx(6 * kMs));
  CHECK(found->no_work == Approx(14 * kMs));
}

TEST_CASE("a loop has as many iterations on any number of workers, a region a part for each") {
  auto run = even_run(100, 1);
  run.kernels = {{"app+0x10 loop", 100, 99 * kMs}, {"app+0x10 [parallel]", 1, 1 * kMs}};
  const auto found = forecast({run}, "b1", "", 100, 4);
  REQUIRE(found);
  REQUIRE(found->kernels.size() == 2);
  for (const auto& kernel : found->kernels) CHECK(kernel.tasks == (kernel.kernel == "app+0x10 loop" ? 100 : 4));
}
