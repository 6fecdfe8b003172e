// SPDX-License-Identifier: Apache-2.0
// How far a run is and what is left of it, against cases counted by hand. Times in ns.
#include "predict/progress/estimator.hpp"

#include "catch.hpp"

using foretask::predict::doubling;
using foretask::predict::parallel_part_done;
using foretask::predict::ProgramForecast;
using foretask::predict::ProgressEstimator;
using foretask::predict::ProgressObservation;

namespace {

constexpr double kMs = 1e6;

// 100 tasks of 10 ms on two workers, after 100 ms of serial part and before 100 ms: 700 ms in all.
ProgramForecast even() {
  ProgramForecast forecast;
  forecast.n = 100;
  forecast.p = 2;
  forecast.same_input = true;
  forecast.time = 700 * kMs;
  forecast.head = 100 * kMs;
  forecast.serial = 200 * kMs;
  forecast.work = 1000 * kMs;
  forecast.time_spread = 0.05;
  forecast.kernels = {{"app+0x10", 100, 1000 * kMs}};
  forecast.curve = {{0, 0}, {1, 1}};
  return forecast;
}

// So many tasks of it are done, each having taken `factor` times as long as foretold.
ProgressObservation after(double tasks, double factor = 1) {
  ProgressObservation now;
  now.serial = 100 * kMs;
  now.elapsed = 100 * kMs + tasks * 5 * kMs * factor;
  now.has_begun = true;
  now.kernels = {{tasks, tasks, tasks * 10 * kMs * factor}};
  return now;
}

}  // namespace

TEST_CASE("before the first task all is left but what the serial part has had") {
  ProgressEstimator estimator(even());
  ProgressObservation now;
  now.elapsed = now.serial = 40 * kMs;
  now.in_serial = true;
  now.kernels.resize(1);
  const auto estimate = estimator.observe(now);
  // 60 ms of the head, 500 ms of tasks, 100 ms behind them.
  CHECK(estimate.remaining == Approx(660 * kMs));
  CHECK(estimate.done == Approx(40.0 / 1200));
}

TEST_CASE("of a run as foretold the rest is what was foretold of it") {
  ProgressEstimator estimator(even());
  for (const double tasks : {10.0, 20.0, 50.0, 90.0}) {
    const auto estimate = estimator.observe(after(tasks));
    CHECK(estimate.done == Approx((100 + 10 * tasks) / 1200));
    CHECK(estimate.remaining == Approx((100 + 5 * (100 - tasks)) * kMs));
    CHECK(estimate.low < estimate.remaining);
    CHECK(estimate.high > estimate.remaining);
  }
}

TEST_CASE("a run that is slower than foretold is taken at its own pace, and its tasks' times are no progress") {
  ProgressEstimator estimator(even());
  double remaining = 0;
  for (double tasks = 1; tasks <= 60; ++tasks) {
    const auto estimate = estimator.observe(after(tasks, 2));
    CHECK(estimate.done == Approx((100 + 10 * tasks) / 1200));
    remaining = estimate.remaining;
  }
  // 40 tasks at 10 ms each of two workers' time, and 100 ms: as far as the pace is believed by then.
  CHECK(remaining > 0.9 * 500 * kMs);
  CHECK(remaining < 1.02 * 500 * kMs);
}

TEST_CASE("the interval becomes narrower as the run goes on") {
  ProgressEstimator estimator(even());
  double width = 1e18;
  for (const double tasks : {10.0, 30.0, 50.0, 70.0, 90.0}) {
    const auto estimate = estimator.observe(after(tasks));
    CHECK(estimate.high - estimate.low < width);
    width = estimate.high - estimate.low;
  }
}

TEST_CASE("tasks that run count for what they have done") {
  ProgressObservation now = after(10);
  now.kernels[0].started = 12;
  now.kernels[0].work += 10 * kMs;  // half of each of two
  CHECK(parallel_part_done(even(), now) == Approx(0.11));
}

TEST_CASE("more tasks than foretold are never more than the whole") {
  ProgressObservation now = after(150);
  now.kernels[0].started = 152;
  CHECK(parallel_part_done(even(), now) < 1);
  CHECK(parallel_part_done(even(), now) > 0.97);
}

TEST_CASE("a kernel of one task is as far as its time") {
  ProgramForecast forecast = even();
  forecast.kernels.push_back({"app+0x20 [parallel]", 2, 1000 * kMs});
  forecast.work = 2000 * kMs;
  ProgressObservation now = after(100);
  now.kernels.push_back({2, 0, 500 * kMs});
  CHECK(parallel_part_done(forecast, now) == Approx(0.75));
  // The region is over, and so is what was foretold of it.
  now.in_serial = true;
  CHECK(parallel_part_done(forecast, now) == 1);
}

TEST_CASE("after the last region what is left is the serial part behind it") {
  ProgressEstimator estimator(even());
  static_cast<void>(estimator.observe(after(100)));
  ProgressObservation now = after(100);
  now.elapsed += 30 * kMs;
  now.serial += 30 * kMs;
  now.in_serial = true;
  CHECK(estimator.observe(now).remaining == Approx(70 * kMs));
  now.elapsed += 200 * kMs;
  now.serial += 200 * kMs;
  const auto last = estimator.observe(now);
  CHECK(last.remaining == 0);
  CHECK(last.done == Approx(1));
}

TEST_CASE("twice the workers: what was measured, what the span allows, what idle workers say, or nothing") {
  ProgramForecast forecast = even();
  const double work = 1000 * kMs;
  const double time = 500 * kMs;
  forecast.doubled = 2;
  // (200 + 500) / (200 + 250), within 5 %.
  CHECK(doubling(forecast, work, time).low == Approx(700.0 / 450 / 1.05));
  CHECK(doubling(forecast, work, time).high == Approx(700.0 / 450 * 1.05));
  forecast.doubled = 0;
  forecast.span = 500 * kMs;  // 200 of them the serial part's
  CHECK(doubling(forecast, work, time).high == Approx(700.0 / (200 + 300)));
  CHECK(doubling(forecast, work, time).low == Approx(700.0 / (200 + 500)));
  forecast.span = 0;
  // Workers that were never idle: half the time, whatever the others do.
  CHECK(doubling(forecast, work, time).high == Approx(700.0 / 450));
  CHECK(doubling(forecast, work, time).low == Approx(700.0 / 450));
  forecast.p = 1;
  CHECK_FALSE(doubling(forecast, work, 1000 * kMs).is_known);
}

TEST_CASE("a delay that one worker has two have as well") {
  // 100 ms of work in 1000 ms on two workers, with 30 ms of span: the work is over after 80 ms at the latest, and 920
  // to 950 ms are delay.
  ProgramForecast forecast;
  forecast.p = 2;
  forecast.span = 30 * kMs;
  const auto unknown = doubling(forecast, 100 * kMs, 1000 * kMs);
  CHECK(unknown.high == Approx(1000.0 / (30 + 920)));
  CHECK(unknown.low == 1);
  // 2 * 1000 = 100 + 1880 + 20
  forecast.delay = 1880 * kMs;
  forecast.no_work = 20 * kMs;
  const auto known = doubling(forecast, 100 * kMs, 1000 * kMs);
  CHECK(known.high == Approx(1000.0 / (30 + 940)));
  CHECK(known.low == Approx(1000.0 / (25 + 30 + 940)));
  // Without the span: 60 ms without the delay halve, or the 20 of the two become 20 * 3 of the four.
  forecast.span = 0;
  CHECK(doubling(forecast, 100 * kMs, 1000 * kMs).high == Approx(1000.0 / (940 + 30)));
  CHECK(doubling(forecast, 100 * kMs, 1000 * kMs).low == Approx(1000.0 / (940 + 40)));
}

TEST_CASE("twice the workers are never more than twice as fast") {
  ProgramForecast forecast;
  forecast.p = 2;
  forecast.doubled = 2.4;  // as of caches
  CHECK(doubling(forecast, 100 * kMs, 60 * kMs).high == 2);
  CHECK(doubling(forecast, 100 * kMs, 60 * kMs).low == 2);
  forecast.doubled = 0;
  forecast.span = 1 * kMs;
  // More work than the time has room for: a forecast of both is not exact.
  CHECK(doubling(forecast, 60 * kMs, 50 * kMs).high <= 2);
  forecast.span = 0;
  CHECK(doubling(forecast, 100 * kMs, 50 * kMs).high == Approx(2));
}

TEST_CASE("within a static loop's blocks the time tells how much is done") {
  // One loop of 1000 iterations and 1000 ms on two workers, all of them begun at once.
  ProgramForecast forecast = even();
  forecast.kernels = {{"app+0x10 loop", 1000, 1000 * kMs}};
  for (const double share : {0.1, 0.5, 0.9}) {
    ProgressObservation now;
    now.has_begun = true;
    now.kernels = {{1000, 0, share * 1000 * kMs}};
    CHECK(parallel_part_done(forecast, now) == Approx(share));
  }
}

TEST_CASE("iterations that are done count, whatever time they took") {
  ProgramForecast forecast = even();
  forecast.kernels = {{"app+0x10 loop", 1000, 1000 * kMs}};
  ProgressObservation now;
  now.has_begun = true;
  now.kernels = {{300, 300, 30 * kMs}};
  CHECK(parallel_part_done(forecast, now) == Approx(0.3));
}
