// SPDX-License-Identifier: Apache-2.0
// The figures of many replays are those of single ones, whatever shares their preparation and however many threads
// there are.
#include <algorithm>
#include <array>
#include <mutex>
#include <random>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "graph_of.hpp"

using namespace foretask::analysis;

namespace {

std::vector<Scenario> scenarios() {
  return {
      {}, {.speedups = {{0, 2.0}}}, {.speedups = {{1, 100.0}}}, {.speedups = {{0, 0.5}, {1, 3.0}}}, {.removed = {0}}};
}

}  // namespace

TEST_CASE("a grid of replays gives what single replays give") {
  std::mt19937 random(4711);
  for (int round = 0; round < 200; ++round) {
    const TaskGraph graph = graph_of(random_tasks(random));
    ReplayGrid grid;
    grid.scenarios = scenarios();
    grid.cores = {1, 2, 3, 7};
    grid.replays = 1;
    grid.threads = 1 + static_cast<std::uint32_t>(round % 3);
    for (const Policy policy : {Policy::kFifo, Policy::kReadyFifo, Policy::kLifo, Policy::kCriticalPath,
                                Policy::kPriority, Policy::kWorkStealing, Policy::kHeft}) {
      SimulationOptions options;
      options.policy = policy;
      const auto table = simulate(graph, options, grid);
      REQUIRE(table.ok());
      REQUIRE(table->size() == grid.scenarios.size());
      for (std::size_t s = 0; s < table->size(); ++s) {
        for (std::size_t c = 0; c < grid.cores.size(); ++c) {
          SimulationOptions single;
          single.policy = policy;
          single.cores = grid.cores[c];
          single.speedups = grid.scenarios[s].speedups;
          single.removed = grid.scenarios[s].removed;
          const auto result = simulate(graph, single);
          REQUIRE(result.ok());
          CAPTURE(round, policy_name(policy), s, c);
          REQUIRE((*table)[s][c].makespan_ns == result->makespan_ns);
          REQUIRE((*table)[s][c].work_ns == result->work_ns);
        }
      }
    }
  }
}

namespace {

// Makespans on three cores with seeds 1 to 9, in order of size.
std::vector<std::int64_t> makespans_by_seed(const TaskGraph& graph) {
  SimulationOptions options;
  options.policy = Policy::kWorkStealing;
  options.cores = 3;
  std::vector<std::int64_t> makespans;
  for (options.seed = 1; options.seed <= 9; ++options.seed) makespans.push_back(simulate(graph, options)->makespan_ns);
  std::sort(makespans.begin(), makespans.end());
  return makespans;
}

// A graph whose makespan depends on who steals from whom.
TaskGraph graph_of_chance() {
  std::mt19937 random(5);
  for (;;) {
    TaskGraph graph = graph_of(random_tasks(random));
    const auto makespans = makespans_by_seed(graph);
    if (makespans.front() != makespans.back()) return graph;
  }
}

}  // namespace

TEST_CASE("of several replays the median stands between the shortest and the longest") {
  const TaskGraph graph = graph_of_chance();
  SimulationOptions options;
  options.policy = Policy::kWorkStealing;
  ReplayGrid grid;
  grid.cores = {3};
  grid.replays = 9;
  const auto table = simulate(graph, options, grid);
  REQUIRE(table.ok());
  const std::vector<std::int64_t> makespans = makespans_by_seed(graph);
  const SimulationResult& point = table->front().front();
  CHECK(point.replays == 9);
  CHECK(point.lowest_ns == makespans.front());
  CHECK(point.makespan_ns == makespans[4]);
  CHECK(point.highest_ns == makespans.back());
}

TEST_CASE("replays are as many as chance asks for") {
  const TaskGraph graph = graph_of_chance();
  ReplayGrid grid;
  grid.cores = {3};
  SimulationOptions options;
  CHECK(simulate(graph, options, grid)->front().front().replays == 1);
  options.policy = Policy::kWorkStealing;
  CHECK(simulate(graph, options, grid)->front().front().replays == 15);
}

// By hand: behind the first task, which takes 10, its worker has tasks of 9, 7 and 5 in its deque. It takes the newest
// (5), the other worker steals the oldest (9); then 7 begins at 15.
TEST_CASE("where no worker can choose among victims one replay is made") {
  std::vector<reference::Task> tasks(4);
  tasks[0].duration = 10;
  const std::array<std::int64_t, 3> durations{9, 7, 5};
  for (std::size_t i = 0; i < durations.size(); ++i) {
    tasks[i + 1].duration = durations[i];
    tasks[i + 1].after = {0};
  }
  const TaskGraph graph = graph_of(tasks);
  SimulationOptions options;
  options.policy = Policy::kWorkStealing;
  ReplayGrid grid;
  grid.cores = {1, 2};
  for (const std::uint32_t threads : {1U, 3U}) {
    grid.threads = threads;
    const auto table = simulate(graph, options, grid);
    REQUIRE(table.ok());
    CHECK(table->front()[0].makespan_ns == 31);
    CHECK(table->front()[1].makespan_ns == 22);
    for (const SimulationResult& point : table->front()) {
      CHECK(point.replays == 1);
      CHECK(point.lowest_ns == point.makespan_ns);
      CHECK(point.highest_ns == point.makespan_ns);
    }
  }
}

TEST_CASE("removed tasks take no time, and a grid without a question is refused") {
  std::vector<reference::Task> tasks(2);
  tasks[0].duration = 10;
  tasks[1].duration = 7;
  tasks[1].after = {0};
  const TaskGraph graph = graph_of(tasks);
  ReplayGrid grid;
  grid.scenarios = {{.removed = {0}}, {.removed = {0, 1}}};
  grid.cores = {1};
  double done = 0;
  std::mutex guards_done;  // both scenarios' threads report
  grid.progress = [&](double part) {
    const std::scoped_lock lock(guards_done);
    done = std::max(done, part);
  };
  const auto table = simulate(graph, {}, grid);
  REQUIRE(table.ok());
  CHECK((*table)[0][0].makespan_ns == 7);
  CHECK((*table)[1][0].makespan_ns == 0);
  CHECK(done == 1.0);
  grid.scenarios = {{.removed = {2}}};
  CHECK(!simulate(graph, {}, grid).ok());
  grid.scenarios.clear();
  CHECK(!simulate(graph, {}, grid).ok());
  grid.scenarios = {{}};
  grid.cores = {0};
  CHECK(!simulate(graph, {}, grid).ok());
}

TEST_CASE("work and span follow the kernel factors") {
  std::vector<reference::Task> tasks(3);
  tasks[0].duration = 10;
  tasks[1].duration = 7;
  tasks[1].after = {0};
  tasks[2].duration = 30;
  SimulationOptions options;
  const auto plain = work_and_span(graph_of(tasks), options);
  REQUIRE(plain.ok());
  CHECK(plain->kernel_work_ns == std::vector<std::int64_t>{40, 7});
  CHECK(plain->span_ns == 30);
  options.speedups = {{0, 2.0}};
  const auto faster = work_and_span(graph_of(tasks), options);
  CHECK(faster->kernel_work_ns == std::vector<std::int64_t>{20, 7});
  CHECK(faster->span_ns == 15);
}
