// SPDX-License-Identifier: Apache-2.0
// Work stealing on plain graphs: what any greedy schedule keeps, costs, determinism.
#include <random>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "unit/simulate/graph_of.hpp"
#include "unit/simulate/schedule_checks.hpp"

using namespace foretask::analysis;

namespace {

SimulationOptions stealing(std::uint32_t cores) {
  SimulationOptions options;
  options.policy = Policy::kWorkStealing;
  options.cores = cores;
  options.keep_schedule = true;
  return options;
}

std::vector<reference::Task> without_releases(std::vector<reference::Task> tasks) {
  for (auto& task : tasks) {
    task.release = 0;
    task.cores = 1;
  }
  return tasks;
}

}  // namespace

TEST_CASE("work stealing gives legal schedules of random graphs") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const TaskGraph graph = graph_of(random_tasks(random));
    for (const std::uint32_t cores : {1U, 2U, 5U}) {
      auto options = stealing(cores);
      options.costs.teams = {{.threads = 2, .dispatch_ns = round % 3, .steal_ns = round % 5}};
      const auto result = simulate(graph, options);
      REQUIRE(result.ok());
      CAPTURE(round, cores);
      CHECK(flaw_of(graph, *result, cores) == "");
    }
  }
}

TEST_CASE("without costs work stealing is greedy: Graham's bound holds") {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    const TaskGraph graph = graph_of(without_releases(random_tasks(random)));
    const std::int64_t work = work_ns(graph);
    const std::int64_t span = span_ns(graph);
    for (const std::uint32_t cores : {1U, 2U, 3U, 8U}) {
      const auto result = simulate(graph, stealing(cores));
      REQUIRE(result.ok());
      CAPTURE(round, cores);
      CHECK(result->makespan_ns >= span);
      CHECK(result->makespan_ns * cores >= work);
      // makespan <= work / p + span (p - 1) / p
      CHECK(result->makespan_ns * cores <= work + span * (cores - 1));
    }
  }
}

TEST_CASE("one worker pays dispatch for every task and steals nothing") {
  std::vector<reference::Task> tasks(10);
  for (auto& task : tasks) task.duration = 100;
  auto options = stealing(1);
  options.costs.teams = {{.threads = 1, .dispatch_ns = 7, .steal_ns = 1000}};
  CHECK(simulate(graph_of(tasks), options)->makespan_ns == 10 * 107);
}

TEST_CASE("a thief pays the steal, the owner the dispatch") {
  // Two equal tasks: worker 0 takes one at 7, worker 1 steals the other, which starts at 30.
  std::vector<reference::Task> tasks(2);
  for (auto& task : tasks) task.duration = 100;
  auto options = stealing(2);
  options.costs.teams = {{.threads = 2, .dispatch_ns = 7, .steal_ns = 30}};
  const auto result = simulate(graph_of(tasks), options);
  CHECK(result->makespan_ns == 130);
  // The owner works at the bottom, where the last one came; the thief at the top.
  CHECK(result->schedule[1].start_ns == 7);
  CHECK(result->schedule[1].worker == 0);
  CHECK(result->schedule[0].start_ns == 30);
  CHECK(result->schedule[0].worker == 1);
}

TEST_CASE("the same seed gives the same schedule, some other seed another one") {
  std::vector<reference::Task> tasks(200);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].duration = static_cast<std::int64_t>(10 + i * 37 % 23);
    if (i >= 3) tasks[i].after = {static_cast<int>(i % 3 == 0 ? i - 3 : i / 3)};
  }
  const TaskGraph graph = graph_of(tasks);
  auto options = stealing(6);
  const auto schedule_with = [&](std::uint64_t seed) {
    options.seed = seed;
    std::vector<std::pair<std::int64_t, std::uint32_t>> schedule;
    const auto result = simulate(graph, options);
    for (const auto& entry : result->schedule) schedule.emplace_back(entry.start_ns, entry.worker);
    return schedule;
  };
  const auto first = schedule_with(1);
  CHECK(schedule_with(1) == first);
  bool differs = false;
  for (std::uint64_t seed = 2; seed < 20; ++seed) differs |= schedule_with(seed) != first;
  CHECK(differs);
}

TEST_CASE("more workers than tasks, and a great many workers, are no trouble") {
  std::vector<reference::Task> tasks(1);
  tasks[0].duration = 5;
  tasks.resize(3000, tasks[0]);
  const TaskGraph graph = graph_of(tasks);
  CHECK(simulate(graph, stealing(4096))->makespan_ns == 5);
  CHECK(simulate(graph, stealing(4'000'000'000U))->makespan_ns == 5);
}
