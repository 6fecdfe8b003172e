// SPDX-License-Identifier: Apache-2.0
// A sweep's figures are those of single replays, whatever shares its preparation and however many threads there are.
#include "foretask/analysis/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>

#include "graph_of.hpp"

using namespace foretask::analysis;

namespace {

std::vector<Scenario> scenarios() {
  return {
      {}, {.speedups = {{0, 2.0}}}, {.speedups = {{1, 100.0}}}, {.speedups = {{0, 0.5}, {1, 3.0}}}, {.removed = {0}}};
}

}  // namespace

TEST_CASE("a sweep gives what single replays give") {
  std::mt19937 random(4711);
  for (int round = 0; round < 200; ++round) {
    const TaskGraph graph = graph_of(random_tasks(random));
    SweepOptions sweep_options;
    sweep_options.scenarios = scenarios();
    sweep_options.cores = {1, 2, 3, 7};
    sweep_options.threads = 1 + static_cast<std::uint32_t>(round % 3);
    for (const Policy policy : {Policy::kFifo, Policy::kReadyFifo, Policy::kLifo, Policy::kCriticalPath,
                                Policy::kPriority, Policy::kWorkStealing, Policy::kHeft}) {
      sweep_options.settings.policy = policy;
      const auto points = sweep(graph, sweep_options);
      REQUIRE(points.ok());
      REQUIRE(points->size() == sweep_options.scenarios.size());
      for (std::size_t s = 0; s < points->size(); ++s) {
        for (std::size_t c = 0; c < sweep_options.cores.size(); ++c) {
          SimulationOptions single;
          single.policy = policy;
          single.cores = sweep_options.cores[c];
          single.speedups = sweep_options.scenarios[s].speedups;
          single.removed = sweep_options.scenarios[s].removed;
          const auto result = simulate(graph, single);
          REQUIRE(result.ok());
          CAPTURE(round, policy_name(policy), s, c);
          REQUIRE((*points)[s][c].makespan_ns == result->makespan_ns);
          REQUIRE((*points)[s][c].work_ns == result->work_ns);
        }
      }
    }
  }
}

TEST_CASE("of several replays the median stands between the shortest and the longest") {
  std::mt19937 random(5);
  TaskGraph graph;
  do graph = graph_of(random_tasks(random));
  while (graph.size() < 20);
  SweepOptions options;
  options.settings.policy = Policy::kWorkStealing;
  options.scenarios = {{}};
  options.cores = {3};
  options.replays = 9;
  const auto points = sweep(graph, options);
  REQUIRE(points.ok());
  std::vector<std::int64_t> makespans;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    SimulationOptions single;
    single.policy = Policy::kWorkStealing;
    single.cores = 3;
    single.seed = seed;
    makespans.push_back(simulate(graph, single)->makespan_ns);
  }
  std::sort(makespans.begin(), makespans.end());
  CHECK((*points)[0][0].lowest_ns == makespans.front());
  CHECK((*points)[0][0].makespan_ns == makespans[4]);
  CHECK((*points)[0][0].highest_ns == makespans.back());
}

TEST_CASE("removed tasks take no time, and a sweep without a question is refused") {
  std::vector<reference::Task> tasks(2);
  tasks[0].duration = 10;
  tasks[1].duration = 7;
  tasks[1].after = {0};
  const TaskGraph graph = graph_of(tasks);
  SweepOptions options;
  options.scenarios = {{.removed = {0}}, {.removed = {0, 1}}};
  options.cores = {1};
  std::atomic<double> done = 0;
  options.progress = [&done](double part) { done = std::max(done.load(), part); };
  const auto points = sweep(graph, options);
  REQUIRE(points.ok());
  CHECK((*points)[0][0].makespan_ns == 7);
  CHECK((*points)[1][0].makespan_ns == 0);
  CHECK(done == 1.0);
  options.scenarios = {{.removed = {2}}};
  CHECK(!sweep(graph, options).ok());
  options.scenarios.clear();
  CHECK(!sweep(graph, options).ok());
  options.scenarios = {{}};
  options.cores = {0};
  CHECK(!sweep(graph, options).ok());
}
