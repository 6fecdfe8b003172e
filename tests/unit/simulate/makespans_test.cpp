// SPDX-License-Identifier: Apache-2.0
// Sampled makespans against distributions worked out by hand.
#include <catch2/catch.hpp>
#include <cmath>

#include "foretask/analysis/makespan.hpp"

using namespace foretask::analysis;

namespace {

// Four tasks at once: the first two take 10 and 30 ns, the others 20 and 50.
TaskGraph two_pairs() {
  TaskGraph graph;
  graph.duration_ns = {10, 30, 20, 50};
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
  // A pair's population is drawn first: both short or both long with 1/4 each. Both tasks are short with
  // 1/4 + 1/2 * 1/4 = 3/8. So a's longest is 10 with 3/8, b's 20 with 3/8: the longest of all is 20 with 9/64, 30 with
  // 15/64, 50 with 40/64, and its mean 2630/64.
  const auto sampled = sample_makespans(two_pairs(), options_of(4, 20'000));
  REQUIRE(sampled.ok());
  const MakespanSample& point = sampled->points.front().front();
  const double mean = 2630.0 / 64;
  const double variance = (400.0 * 9 + 900.0 * 15 + 2500.0 * 40) / 64 - mean * mean;
  CHECK(point.mean_ns == Approx(mean).margin(4 * std::sqrt(variance / 20'000)));
  CHECK(point.sd_ns == Approx(std::sqrt(variance)).epsilon(0.02));
  // 14.1 % are 20, and 37.5 % are less than 50.
  CHECK(point.quantiles_ns == std::array<double, 9>{20, 20, 20, 30, 50, 50, 50, 50, 50});
}

TEST_CASE("gains are of the same draws before and after") {
  MakespanOptions options = options_of(1, 300);
  options.scenarios = {{}, {.speedups = {{0, 2.0}, {1, 2.0}}, .removed = {}}, {.speedups = {{0, 2.0}}, .removed = {}}};
  const auto sampled = sample_makespans(two_pairs(), options);
  REQUIRE(sampled.ok());
  CHECK(sampled->points[0][0].gain_p05 == 0);
  CHECK(sampled->points[0][0].gain_p95 == 0);
  // All times are even: half of all is half of the whole, whatever is drawn.
  CHECK(sampled->points[1][0].gain_p05 == Approx(1).epsilon(1e-12));
  CHECK(sampled->points[1][0].gain_p95 == Approx(1).epsilon(1e-12));
  // Between (20 + 100) / (10 + 100) and (60 + 40) / (30 + 40).
  CHECK(sampled->points[2][0].gain_p05 >= Approx(120.0 / 110 - 1));
  CHECK(sampled->points[2][0].gain_p95 <= Approx(100.0 / 70 - 1));
  CHECK(sampled->points[2][0].gain_p05 < sampled->points[2][0].gain_p50);
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
  // b runs on the accelerator alone, in half its time on a plain core: two of them one after the other take 20, 35
  // or 50.
  TaskGraph graph = two_pairs();
  graph.class_names = {"fast"};
  graph.class_durations = {{2, 0, 10}, {3, 0, 25}};
  MakespanOptions options = options_of(0, 400);
  Platform platform;
  platform.nodes = {{}};
  platform.nodes.front().workers = {{"fast", 1}};
  options.settings.platform = std::make_shared<const Platform>(platform);
  graph.duration_ns[0] = graph.duration_ns[1] = 0;
  graph.cores = {0, 0, 1, 1};
  const auto sampled = sample_makespans(graph, options);
  REQUIRE(sampled.ok());
  const auto& quantiles = sampled->points.front().front().quantiles_ns;
  CHECK(quantiles.front() == 20);
  CHECK(quantiles[4] == 35);
  CHECK(quantiles.back() == 50);
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

TEST_CASE("what several runs say of their spread is their logarithms' beside what drawn times explain") {
  // As long as the replay, twice and half as long: logarithms 0, ln 2, -ln 2, with mean 0 and variance ln(2)^2.
  const auto spread = run_spread_of(100, {100, 200, 50}, 0);
  REQUIRE(spread.has_value());
  CHECK(spread->runs == 3);
  CHECK(spread->log_shift == Approx(0).margin(1e-12));
  CHECK(spread->log_sd == Approx(std::log(2.0)));
  CHECK(run_spread_of(100, {100, 200, 50}, 0.3)->log_sd == Approx(std::sqrt(std::pow(std::log(2.0), 2) - 0.09)));
  CHECK(run_spread_of(100, {100, 200, 50}, 0.9)->log_sd == 0);
  CHECK(run_spread_of(100, {200, 200}, 0)->log_shift == Approx(std::log(2.0)));
  CHECK_FALSE(run_spread_of(100, {100}, 0).has_value());
  CHECK_FALSE(run_spread_of(0, {1, 1}, 0).has_value());
  CHECK_FALSE(run_spread_of(100, {100, 0}, 0).has_value());
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
