// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <random>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "graph_of.hpp"
#include "reference_replay.hpp"

using namespace foretask::analysis;

namespace {

constexpr std::array kPolicies{Policy::kFifo, Policy::kReadyFifo, Policy::kLifo, Policy::kCriticalPath,
                               Policy::kPriority};

}  // namespace

TEST_CASE("replays of random graphs agree with the plain reading of the rules") {
  std::mt19937 random(20240607);
  for (int round = 0; round < 3000; ++round) {
    const auto tasks = random_tasks(random);
    const TaskGraph graph = graph_of(tasks);
    for (const Policy policy : kPolicies) {
      for (const std::uint32_t cores : {1U, 2U, 3U, 7U}) {
        SimulationOptions options;
        options.policy = policy;
        options.cores = cores;
        const auto result = simulate(graph, options);
        REQUIRE(result.ok());
        const std::int64_t expected = reference::makespan(tasks, static_cast<int>(cores), policy);
        if (result->makespan_ns != expected) {
          CAPTURE(round, policy_name(policy), cores);
          CHECK(result->makespan_ns == expected);
        }
      }
    }
  }
}

TEST_CASE("a what-if replays as the graph with divided durations does") {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    auto tasks = random_tasks(random);
    for (auto& task : tasks) task.duration *= 3;
    const TaskGraph graph = graph_of(tasks);
    // Kernel b is every second task. Thirds of multiples of three are exact: no rounding is in question.
    for (std::size_t i = 1; i < tasks.size(); i += 2) tasks[i].duration /= 3;
    for (const Policy policy : kPolicies) {
      SimulationOptions options;
      options.policy = policy;
      options.cores = 2;
      options.speedups = {{1, 3.0}};
      const auto result = simulate(graph, options);
      REQUIRE(result.ok());
      CAPTURE(round, policy_name(policy));
      CHECK(result->makespan_ns == reference::makespan(tasks, 2, policy));
    }
  }
}

TEST_CASE("a written graph replays as the graph it was written from") {
  std::mt19937 random(99);
  const auto path = std::filesystem::temp_directory_path() / "foretask_written_graph_test.jsonl";
  for (int round = 0; round < 50; ++round) {
    const auto tasks = random_tasks(random);
    REQUIRE(write_task_graph(graph_of(tasks), path).ok());
    const auto graph = read_task_graph(path);
    REQUIRE(graph.ok());
    for (const Policy policy : kPolicies) {
      SimulationOptions options;
      options.policy = policy;
      options.cores = 3;
      CAPTURE(round, policy_name(policy));
      const auto result = simulate(*graph, options);
      REQUIRE(result.ok());
      CHECK(result->makespan_ns == reference::makespan(tasks, 3, policy));
    }
  }
  std::filesystem::remove(path);
}
