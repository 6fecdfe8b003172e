// SPDX-License-Identifier: Apache-2.0
// Sampled makespans against distributions worked out by hand.
#include <array>
#include <cmath>
#include <utility>

#include "catch.hpp"
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

ReplayGrid grid_of(std::uint32_t cores, std::uint32_t samples) {
  ReplayGrid grid;
  grid.cores = {cores};
  grid.replays = samples;
  grid.threads = 1;
  return grid;
}

}  // namespace

TEST_CASE("the makespan of two pairs of tasks is distributed as the maximum of what they are drawn from") {
  // 20 ms where both of a take 10 and both of b 20: once in 16; 30 where b takes 20 alone: 3 in 16; else 50.
  const auto sampled = sample_makespans(two_pairs(), {}, grid_of(4, 20'000));
  REQUIRE(sampled.ok());
  const MakespanSample& point = sampled->points.front().front();
  const double sd = std::sqrt((400 + 3 * 900 + 12 * 2500) / 16.0 - 44.375 * 44.375) * 1e6;
  CHECK(point.mean_ns == Approx(44.375e6).margin(4 * sd / std::sqrt(20'000)));
  CHECK(point.sd_ns == Approx(sd).epsilon(0.04));
  CHECK(point.quantiles_ns[1] == 20e6);
  CHECK(point.quantiles_ns[2] == 30e6);
  CHECK(point.quantiles_ns[4] == 50e6);
}

TEST_CASE("gains are of the same draws before and after") {
  ReplayGrid grid = grid_of(1, 4000);
  grid.scenarios = {{}, {.speedups = {{0, 2.0}, {1, 2.0}}, .removed = {}}, {.speedups = {{0, 2.0}}, .removed = {}}};
  const auto sampled = sample_makespans(two_pairs(), {}, grid);
  REQUIRE(sampled.ok());
  CHECK(sampled->points[0][0].gain_p05 == 0);
  CHECK(sampled->points[0][0].gain_p95 == 0);
  // Half of all is half of the whole, whatever is drawn.
  CHECK(sampled->points[1][0].gain_p05 == 1);
  CHECK(sampled->points[1][0].gain_p95 == 1);
  // (a + b) / (a / 2 + b) - 1, both of a together 20, 40 or 60 ms and both of b 40, 70 or 100: least and most once
  // in 16.
  CHECK(sampled->points[2][0].gain_p05 == Approx(10.0 / 110));
  CHECK(sampled->points[2][0].gain_p50 == Approx(20.0 / 90));
  CHECK(sampled->points[2][0].gain_p95 == Approx(30.0 / 70));
}

TEST_CASE("the figures do not depend on the number of threads") {
  ReplayGrid grid = grid_of(2, 64);
  grid.cores = {1, 2, 3};
  grid.scenarios = {{}, {.speedups = {{1, 3.0}}, .removed = {}}};
  for (const Policy policy : {Policy::kCriticalPath, Policy::kWorkStealing, Policy::kHeft}) {
    SimulationOptions options;
    options.policy = policy;
    grid.threads = 1;
    const auto one = sample_makespans(two_pairs(), options, grid);
    grid.threads = 5;
    const auto five = sample_makespans(two_pairs(), options, grid);
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
  // b runs on the accelerator alone, in half its time on a plain core: two of them one after the other.
  TaskGraph graph = two_pairs();
  graph.class_names = {"fast"};
  graph.class_durations = {{2, 0, 10'000'000}, {3, 0, 25'000'000}};
  Platform platform;
  platform.nodes = {{}};
  platform.nodes.front().workers = {{"fast", 1}};
  SimulationOptions options;
  options.platform = std::make_shared<const Platform>(platform);
  graph.duration_ns[0] = graph.duration_ns[1] = 0;
  graph.cores = {0, 0, 1, 1};
  const auto sampled = sample_makespans(graph, options, grid_of(0, 4000));
  REQUIRE(sampled.ok());
  const MakespanSample& point = sampled->points.front().front();
  // 10 or 25 ms, twice.
  const double sd = 1e6 * std::sqrt(2 * 7.5 * 7.5);
  CHECK(point.mean_ns == Approx(35e6).margin(4 * sd / std::sqrt(4000)));
  CHECK(point.sd_ns == Approx(sd).epsilon(0.05));
  CHECK(point.quantiles_ns[0] == 20e6);
  CHECK(point.quantiles_ns[8] == 50e6);
}

TEST_CASE("numbers of samples and cores that cannot be are errors") {
  CHECK_FALSE(sample_makespans(two_pairs(), {}, grid_of(1, 0)).ok());
  CHECK_FALSE(sample_makespans(two_pairs(), {}, grid_of(1, kMostMakespanSamples + 1)).ok());
  CHECK_FALSE(sample_makespans(two_pairs(), {}, grid_of(0, 1)).ok());
  ReplayGrid none = grid_of(1, 1);
  none.cores.clear();
  CHECK_FALSE(sample_makespans(two_pairs(), {}, none).ok());
  none = grid_of(1, 1);
  none.scenarios.clear();
  CHECK_FALSE(sample_makespans(two_pairs(), {}, none).ok());
}

TEST_CASE("a graph without tasks takes no time in any sample") {
  TaskGraph graph;
  graph.first_successor = {0};
  const auto sampled = sample_makespans(graph, {}, grid_of(3, 5));
  REQUIRE(sampled.ok());
  CHECK(sampled->points.front().front().quantiles_ns.back() == 0);
  CHECK(sampled->points.front().front().gain_p50 == 0);
}

TEST_CASE("what several runs say of their spread is their logarithms'") {
  // As long as the replay, twice and half as long: logarithms 0, ln 2, -ln 2, with mean 0 and variance ln(2)^2.
  const auto spread = run_spread_of({100, 200, 50}, 100, 2);
  REQUIRE(spread.has_value());
  CHECK(spread->runs == 3);
  CHECK(spread->workers == 2);
  CHECK(spread->log_shift == Approx(0).margin(1e-12));
  CHECK(spread->log_sd == Approx(std::log(2.0)));
  CHECK(run_spread_of({200, 200}, 100, 2)->log_shift == Approx(std::log(2.0)));
  CHECK_FALSE(run_spread_of({100}, 100, 2).has_value());
  CHECK_FALSE(run_spread_of({1, 1}, 0, 2).has_value());
  CHECK_FALSE(run_spread_of({100, 0}, 100, 2).has_value());
}

TEST_CASE("the range of runs is Student's t about what was measured, and needs five runs") {
  RunSpread spread{.runs = 5, .workers = 2, .log_shift = std::log(1.1), .log_sd = 0.01};
  const auto range = run_range(spread, 2, 4'000'000, 0.03, 0.03);
  REQUIRE(range.has_value());
  CHECK(range->median_ns == Approx(4.4e6));
  // Four degrees of freedom: 2.1318 at 95 %, as tables of t have it, times 0.01 sqrt(1 + 1/5).
  CHECK(std::log(range->high_ns / 4.4e6) == Approx(2.1318 * 0.01 * std::sqrt(1.2)).epsilon(1e-4));
  CHECK(std::log(range->low_ns / 4.4e6) == Approx(-2.1318 * 0.01 * std::sqrt(1.2)).epsilon(1e-4));
  spread.runs = 4;
  CHECK_FALSE(run_range(spread, 2, 4'000'000, 0.03, 0.03).has_value());
  spread.runs = 10;  // 1.8331 with nine
  CHECK(std::log(run_range(spread, 2, 4'000'000, 0, 0)->high_ns / 4.4e6) ==
        Approx(1.8331 * 0.01 * std::sqrt(1.1)).epsilon(1e-4));
}

TEST_CASE("on other numbers of cores the range moves by the share of cores that can wait, and has what draws add") {
  RunSpread spread{.runs = 5, .workers = 4, .log_shift = std::log(1.2), .log_sd = 0.01};
  // (1 - 1 / p) / (1 - 1 / 4) for p = 1, 2, 4, 8.
  const std::array<std::pair<std::uint32_t, double>, 4> shares{{{1, 0}, {2, 2.0 / 3}, {4, 1}, {8, 7.0 / 6}}};
  for (const auto& [cores, share] : shares)
    CHECK(run_range(spread, cores, 1'000'000, 0, 0)->median_ns == Approx(1e6 * std::pow(1.2, share)));
  // 0.05 where the recorded cores have 0.03: 0.04 besides.
  const auto wider = run_range(spread, 8, 1'000'000, 0.05, 0.03);
  CHECK(std::log(wider->high_ns / wider->median_ns) ==
        Approx(2.1318 * std::sqrt(0.01 * 0.01 * 1.2 + 0.04 * 0.04)).epsilon(1e-4));
  spread.workers = 1;
  CHECK(run_range(spread, 8, 1'000'000, 0, 0)->median_ns == Approx(1.2e6));
}

TEST_CASE("more makespans than memory holds are refused before the first is drawn") {
  ReplayGrid grid = grid_of(1, kMostMakespanSamples);
  grid.cores.assign(4096, 1);
  grid.scenarios.assign(1000, {});
  const auto sampled = sample_makespans(two_pairs(), {}, grid);
  REQUIRE_FALSE(sampled.ok());
  CHECK(sampled.error().what.find("memory") != std::string::npos);
}
