// SPDX-License-Identifier: Apache-2.0
// Sampled makespans against distributions worked out by hand.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "foretask/analysis/makespan.hpp"

using namespace foretask::analysis;

namespace {

// Four tasks at once: the first two take 10 and 30 ms, the others 20 and 50.
TaskGraph two_pairs() {
  TaskGraph graph;
  graph.duration_ns = {10'000'000, 30'000'000, 20'000'000, 50'000'000};
  graph.kernel = {0, 0, 1, 1};
  graph.kernel_names = {"a", "b"};
  graph.first_successor.assign(5, 0);
  return graph;
}

MakespanOptions options_of(std::uint32_t cores, std::uint32_t samples) {
  MakespanOptions options;
  options.cores = {cores};
  options.samples = samples;
  options.threads = 1;
  return options;
}

}  // namespace

TEST_CASE("the makespan of two pairs of tasks is distributed as the maximum of what they are drawn from") {
  // Of one run: each of a third uniform from 0 to 10, from 10 to 24, and 24 and an exponential time with mean 14; b
  // from 0 to 20, 20 to 42, and 42 and one with mean 22. Their means are 20 and 35, as recorded. The maximum of two of
  // each has the product of the distribution functions' squares, integrated numerically.
  MakespanOptions options = options_of(4, 20'000);
  options.one_run = true;
  const auto sampled = sample_makespans(two_pairs(), options);
  REQUIRE(sampled.ok());
  const MakespanSample& point = sampled->points.front().front();
  CHECK(point.mean_ns == Approx(53.1028e6).margin(4 * 24.8045e6 / std::sqrt(20'000)));
  CHECK(point.sd_ns == Approx(24.8045e6).epsilon(0.04));
  CHECK(point.quantiles_ns[1] == Approx(21.9166e6).epsilon(0.02));
  CHECK(point.quantiles_ns[4] == Approx(48.4075e6).epsilon(0.02));
  CHECK(point.quantiles_ns[7] == Approx(99.9843e6).epsilon(0.03));
}

TEST_CASE("gains are of the same draws before and after") {
  MakespanOptions options = options_of(1, 300);
  options.scenarios = {{}, {.speedups = {{0, 2.0}, {1, 2.0}}, .removed = {}}, {.speedups = {{0, 2.0}}, .removed = {}}};
  const auto sampled = sample_makespans(two_pairs(), options);
  REQUIRE(sampled.ok());
  CHECK(sampled->points[0][0].gain_p05 == 0);
  CHECK(sampled->points[0][0].gain_p95 == 0);
  // Half of all is half of the whole, whatever is drawn, but for the rounding of each time to 1 ns.
  CHECK(sampled->points[1][0].gain_p05 == Approx(1).epsilon(1e-6));
  CHECK(sampled->points[1][0].gain_p95 == Approx(1).epsilon(1e-6));
  // (a + b) / (a / 2 + b) - 1: all of it where b is nothing, nothing where a is, and 40 / 90 of a third where both take
  // what they did.
  CHECK(sampled->points[2][0].gain_p05 > 0);
  CHECK(sampled->points[2][0].gain_p50 == Approx(110.0 / 90 - 1).margin(0.06));
  CHECK(sampled->points[2][0].gain_p95 < 1);
  CHECK(sampled->points[2][0].gain_p05 < sampled->points[2][0].gain_p50 - 0.05);
}

TEST_CASE("the figures do not depend on the number of threads") {
  MakespanOptions options = options_of(2, 64);
  options.cores = {1, 2, 3};
  options.scenarios = {{}, {.speedups = {{1, 3.0}}, .removed = {}}};
  for (const Policy policy : {Policy::kCriticalPath, Policy::kWorkStealing, Policy::kHeft}) {
    options.settings.policy = policy;
    options.threads = 1;
    const auto one = sample_makespans(two_pairs(), options);
    options.threads = 5;
    const auto five = sample_makespans(two_pairs(), options);
    REQUIRE(one.ok());
    REQUIRE(five.ok());
    for (std::size_t scenario = 0; scenario < 2; ++scenario) {
      for (std::size_t cores = 0; cores < 3; ++cores) {
        CHECK(one->points[scenario][cores].mean_ns == five->points[scenario][cores].mean_ns);
        CHECK(one->points[scenario][cores].quantiles_ns == five->points[scenario][cores].quantiles_ns);
        CHECK(one->points[scenario][cores].gain_p05 == five->points[scenario][cores].gain_p05);
      }
    }
  }
}

TEST_CASE("on a platform times on other classes follow the drawn ones") {
  // b runs on the accelerator alone, in half its time on a plain core: two of them one after the other take 35 on
  // average.
  TaskGraph graph = two_pairs();
  graph.class_names = {"fast"};
  graph.class_durations = {{2, 0, 10'000'000}, {3, 0, 25'000'000}};
  MakespanOptions options = options_of(0, 4000);
  options.one_run = true;
  Platform platform;
  platform.nodes = {{}};
  platform.nodes.front().workers = {{"fast", 1}};
  options.settings.platform = std::make_shared<const Platform>(platform);
  graph.duration_ns[0] = graph.duration_ns[1] = 0;
  graph.cores = {0, 0, 1, 1};
  const auto sampled = sample_makespans(graph, options);
  REQUIRE(sampled.ok());
  const MakespanSample& point = sampled->points.front().front();
  // Half of two times with variance (20^2 / 12 + 22^2 / 12 + 22^2 + 25^2 + 4^2 + 29^2) / 3 = 679.9 each.
  const double sd = 1e6 * std::sqrt(679.9 / 2);
  CHECK(point.mean_ns == Approx(35e6).margin(4 * sd / std::sqrt(4000)));
  CHECK(point.sd_ns == Approx(sd).epsilon(0.08));
}

TEST_CASE("numbers of samples and cores that cannot be are errors") {
  CHECK_FALSE(sample_makespans(two_pairs(), options_of(1, 0)).ok());
  CHECK_FALSE(sample_makespans(two_pairs(), options_of(1, kMostMakespanSamples + 1)).ok());
  CHECK_FALSE(sample_makespans(two_pairs(), options_of(0, 1)).ok());
  MakespanOptions none = options_of(1, 1);
  none.cores.clear();
  CHECK_FALSE(sample_makespans(two_pairs(), none).ok());
  none = options_of(1, 1);
  none.scenarios.clear();
  CHECK_FALSE(sample_makespans(two_pairs(), none).ok());
}

TEST_CASE("a graph without tasks takes no time in any sample") {
  TaskGraph graph;
  graph.first_successor = {0};
  const auto sampled = sample_makespans(graph, options_of(3, 5));
  REQUIRE(sampled.ok());
  CHECK(sampled->points.front().front().quantiles_ns.back() == 0);
  CHECK(sampled->points.front().front().gain_p50 == 0);
}

TEST_CASE("what several runs say of their spread is their logarithms'") {
  const MakespanSample drawn{.log_mean_ns = 100, .log_sd = 0.3};
  // As long as the replay, twice and half as long: logarithms 0, ln 2, -ln 2, with mean 0 and variance ln(2)^2.
  const auto spread = run_spread_of(drawn, {100, 200, 50}, 2);
  REQUIRE(spread.has_value());
  CHECK(spread->runs == 3);
  CHECK(spread->log_shift == Approx(0).margin(1e-12));
  CHECK(spread->log_sd == Approx(std::log(2.0)));
  CHECK(spread->drawn_log_sd == 0.3);
  CHECK(run_spread_of(drawn, {200, 200}, 2)->log_shift == Approx(std::log(2.0)));
  CHECK_FALSE(run_spread_of(drawn, {100}, 2).has_value());
  CHECK_FALSE(run_spread_of(MakespanSample{}, {1, 1}, 2).has_value());
  CHECK_FALSE(run_spread_of(drawn, {100, 0}, 2).has_value());
}

TEST_CASE("a spread between runs multiplies all of a sample's times by a factor of Student's t") {
  TaskGraph graph = two_pairs();
  graph.duration_ns = {1'000'000, 1'000'000, 1'000'000, 1'000'000};
  MakespanOptions options = options_of(1, 20'000);
  options.between_runs = RunSpread{.runs = 5, .log_shift = std::log(1.1), .log_sd = 0.01};
  const auto sampled = sample_makespans(graph, options);
  REQUIRE(sampled.ok());
  const auto& quantiles = sampled->points.front().front().quantiles_ns;
  CHECK(sampled->run_spread == 0.01);
  CHECK(quantiles[4] == Approx(4.4e6).epsilon(0.001));
  // Four degrees of freedom: 2.1318 at 95 %, as tables of t have it, times 0.01 sqrt(1 + 1/5).
  CHECK(std::log(quantiles[7] / 4.4e6) == Approx(2.1318 * 0.01 * std::sqrt(1.2)).epsilon(0.06));
  CHECK(std::log(quantiles[1] / 4.4e6) == Approx(-2.1318 * 0.01 * std::sqrt(1.2)).epsilon(0.06));
  options.between_runs->runs = 1;
  CHECK_FALSE(sample_makespans(graph, options).ok());
}

TEST_CASE("where drawn times give part of the spread between runs, or more than it, the whole is as measured") {
  // 100 tasks from 0.5 to 1.5 ms, one after another: some 2.9 % of the whole by themselves.
  TaskGraph graph;
  for (int i = 0; i < 100; ++i) graph.duration_ns.push_back(500'000 + 10'000 * (i * 71 % 100));
  graph.kernel.assign(100, 0);
  graph.kernel_names = {"task"};
  graph.first_successor.assign(101, 0);
  MakespanOptions options = options_of(1, 2000);
  options.scenarios.push_back({.speedups = {{0, 2.0}}, .removed = {}});
  options.one_run = true;
  const auto alone = sample_makespans(graph, options);
  REQUIRE(alone.ok());
  const MakespanSample& drawn = alone->points[0][0];
  CHECK(drawn.log_sd == Approx(1 / std::sqrt(12.0) / 10).epsilon(0.08));  // of a uniform time, over the root of 100
  CHECK(drawn.log_mean_ns == Approx(1e8).epsilon(0.01));
  options.one_run = false;
  for (const double measured : {0.01, 0.029, 0.06}) {
    options.between_runs = RunSpread{.runs = 10, .log_sd = measured, .drawn_log_sd = drawn.log_sd};
    const auto sampled = sample_makespans(graph, options);
    REQUIRE(sampled.ok());
    const auto& quantiles = sampled->points[0][0].quantiles_ns;
    INFO("measured " << measured);
    // Nine degrees of freedom: 1.8331 at 95 %.
    CHECK(std::log(quantiles[7] / quantiles[1]) == Approx(2 * 1.8331 * measured * std::sqrt(1.1)).epsilon(0.1));
    CHECK(sampled->points[1][0].gain_p05 == Approx(1).epsilon(1e-5));
    CHECK(sampled->points[1][0].gain_p95 == Approx(1).epsilon(1e-5));
  }
}

TEST_CASE("what a run took over its replay is the logarithm of the ratio") {
  // All four at once take what the longest does.
  const auto error = replay_error_of(two_pairs(), {}, 4, 60'000'000, 5);
  REQUIRE(error.ok());
  REQUIRE(error->has_value());
  CHECK((*error)->workers == 4);
  CHECK((*error)->log_ratio == Approx(std::log(1.2)));
  CHECK((*error)->log_sd == Approx(0).margin(1e-12));  // nothing to steal
  CHECK_FALSE(replay_error_of(two_pairs(), {}, 4, 0, 5)->has_value());
  CHECK_FALSE(replay_error_of(two_pairs(), {}, 0, 60, 5)->has_value());
  CHECK_FALSE(replay_error_of(two_pairs(), {}, 4, 60, 0)->has_value());
  CHECK_FALSE(replay_error_of(TaskGraph{}, {}, 4, 60, 5)->has_value());
}

TEST_CASE(
    "what a run took over its replay is put on all makespans, by the share of cores that can wait, and on no gain") {
  MakespanOptions options = options_of(4, 200);
  options.cores = {1, 2, 4, 8};
  options.scenarios = {{}, {.speedups = {{1, 2.0}}, .removed = {}}};
  const auto plain = sample_makespans(two_pairs(), options);
  options.replay_error = ReplayError{.workers = 4, .log_ratio = std::log(1.2), .log_sd = 0};
  const auto moved = sample_makespans(two_pairs(), options);
  REQUIRE(plain.ok());
  REQUIRE(moved.ok());
  CHECK(plain->run_over_replay == 1);
  CHECK(moved->run_over_replay == Approx(1.2));
  // (1 - 1 / p) / (1 - 1 / 4) for p = 1, 2, 4, 8.
  const std::array<double, 4> shares{0, 2.0 / 3, 1, 7.0 / 6};
  for (std::size_t scenario = 0; scenario < 2; ++scenario) {
    for (std::size_t i = 0; i < 4; ++i) {
      const MakespanSample& before = plain->points[scenario][i];
      const MakespanSample& after = moved->points[scenario][i];
      CHECK(after.quantiles_ns[1] == Approx(before.quantiles_ns[1] * std::pow(1.2, shares[i])).epsilon(1e-9));
      CHECK(after.mean_ns == Approx(before.mean_ns * std::pow(1.2, shares[i])).epsilon(1e-9));
      CHECK(after.gain_p05 == Approx(before.gain_p05).margin(1e-9));
      CHECK(after.gain_p95 == Approx(before.gain_p95).margin(1e-9));
    }
  }
  options.replay_error->workers = 1;
  CHECK(sample_makespans(two_pairs(), options)->points[0][0].mean_ns == Approx(1.2 * plain->points[0][0].mean_ns));
  options.replay_error->workers = 0;
  CHECK_FALSE(sample_makespans(two_pairs(), options).ok());
}

TEST_CASE("the luck of the recorded run is in the samples once more") {
  MakespanOptions options = options_of(4, 20'000);
  options.one_run = true;
  const double drawn = sample_makespans(two_pairs(), options)->points[0][0].log_sd;
  options.replay_error = ReplayError{.workers = 4, .log_ratio = 0, .log_sd = 0.3};
  const MakespanSample both = sample_makespans(two_pairs(), options)->points[0][0];
  CHECK(both.log_sd == Approx(std::hypot(drawn, 0.3)).epsilon(0.02));
}

TEST_CASE("a spread between runs is in the makespans and not in the gains") {
  MakespanOptions options = options_of(2, 400);
  options.scenarios = {{}, {.speedups = {{1, 2.0}}, .removed = {}}};
  options.one_run = true;
  const auto plain = sample_makespans(two_pairs(), options);
  options.between_runs = RunSpread{.runs = 2, .workers = 2, .log_shift = 0.1, .log_sd = 0.3, .drawn_log_sd = 0.2};
  const auto spread = sample_makespans(two_pairs(), options);
  REQUIRE(plain.ok());
  REQUIRE(spread.ok());
  CHECK(spread->points[1][0].log_sd > 1.5 * plain->points[1][0].log_sd);
  CHECK(spread->points[1][0].gain_p05 == plain->points[1][0].gain_p05);
  CHECK(spread->points[1][0].gain_p50 == plain->points[1][0].gain_p50);
  CHECK(spread->points[1][0].gain_p95 == plain->points[1][0].gain_p95);
  options.between_runs->workers = 0;
  CHECK_FALSE(sample_makespans(two_pairs(), options).ok());
}

TEST_CASE("more makespans than memory holds are refused before the first is drawn") {
  MakespanOptions options = options_of(1, kMostMakespanSamples);
  options.cores.assign(4096, 1);
  options.scenarios.assign(1000, {});
  const auto sampled = sample_makespans(two_pairs(), options);
  REQUIRE_FALSE(sampled.ok());
  CHECK(sampled.error().what.find("memory") != std::string::npos);
}
