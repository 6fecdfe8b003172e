// SPDX-License-Identifier: Apache-2.0
// Options, limits and errors of a replay.
#include "foretask/analysis/simulate.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "graph_of.hpp"
#include "schedule_checks.hpp"
#include "simulate/cores/durations.hpp"

using namespace foretask::analysis;

namespace {

constexpr std::array kAll{Policy::kFifo,         Policy::kReadyFifo, Policy::kLifo,
                          Policy::kCriticalPath, Policy::kPriority,  Policy::kWorkStealing};
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

SimulationOptions with(Policy policy, std::uint32_t cores) {
  SimulationOptions options;
  options.policy = policy;
  options.cores = cores;
  return options;
}

std::string error_of(const TaskGraph& graph, const SimulationOptions& options) {
  const auto result = simulate(graph, options);
  return result.ok() ? "no error" : result.error().message();
}

TaskGraph chain(const std::vector<std::int64_t>& durations) {
  std::vector<reference::Task> tasks;
  for (const std::int64_t duration : durations) {
    tasks.emplace_back().duration = duration;
    if (tasks.size() > 1) tasks.back().after = {static_cast<int>(tasks.size()) - 2};
  }
  return graph_of(tasks);
}

}  // namespace

TEST_CASE("policies have the names that the command line gives them") {
  for (const Policy policy : kAll) CHECK(policy_from_name(policy_name(policy)) == policy);
  CHECK(policy_name(Policy::kReadyFifo) == "ready-fifo");
  CHECK(policy_from_name("critical-path") == Policy::kCriticalPath);
  CHECK(policy_from_name("work-stealing") == Policy::kWorkStealing);
  CHECK(policy_from_name("heft") == Policy::kHeft);
  CHECK(!policy_from_name("eft"));
  CHECK(!policy_from_name(""));
}

TEST_CASE("work, speedup and utilization are of the durations in force") {
  // Two tasks of kernels a (100) and b (50), and one of a (30) on no worker.
  std::vector<reference::Task> tasks(3);
  tasks[0].duration = 100;
  tasks[1].duration = 50;
  tasks[2].duration = 30;
  tasks[2].cores = 0;
  auto options = with(Policy::kFifo, 2);
  options.speedups = {{0, 2.0}};
  const auto result = simulate(graph_of(tasks), options);
  REQUIRE(result.ok());
  CHECK(result->work_ns == 50 + 50 + 15);
  CHECK(result->makespan_ns == 50);
  CHECK(result->speedup == Approx(115.0 / 50));
  CHECK(result->utilization == Approx(1.0));
}

TEST_CASE("every policy keeps a legal schedule when asked to") {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    const TaskGraph graph = graph_of(random_tasks(random));
    for (const Policy policy : kAll) {
      auto options = with(policy, 1 + static_cast<std::uint32_t>(round) % 4);
      CHECK(simulate(graph, options)->schedule.empty());
      options.keep_schedule = true;
      const auto result = simulate(graph, options);
      CAPTURE(round, policy_name(policy));
      CHECK(flaw_of(graph, *result, options.cores) == "");
    }
  }
}

TEST_CASE("a graph of no tasks takes no time") {
  for (const Policy policy : kAll) {
    const auto result = simulate(TaskGraph{.first_successor = {0}}, with(policy, 4));
    REQUIRE(result.ok());
    CHECK(result->makespan_ns == 0);
    CHECK(result->speedup == 0);
    CHECK(result->utilization == 0);
  }
}

TEST_CASE("options that cannot be are errors") {
  const TaskGraph graph = chain({1, 2, 3});
  for (const Policy policy : kAll) {
    CHECK(error_of(graph, with(policy, 0)).find("at least one core") != std::string::npos);
    for (const double factor :
         {0.0, -1.0, std::nan(""), static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
      auto options = with(policy, 1);
      options.speedups = {{0, factor}};
      CHECK(error_of(graph, options).find("factor of a") != std::string::npos);
    }
    auto options = with(policy, 1);
    options.speedups = {{2, 2.0}};
    CHECK(error_of(graph, options) == "no kernel has the number 2");
  }
  auto options = with(Policy::kWorkStealing, 1);
  options.costs.teams = {{.threads = 1, .steal_ns = -1}};
  CHECK(error_of(graph, options) == "a scheduling cost is negative");
  options.costs.teams = {{.threads = 1, .steal_ns = kLargest}};
  CHECK(error_of(graph, options) == "the scheduling costs are too large");
}

TEST_CASE("a cycle and a task for other worker classes are errors under every policy") {
  TaskGraph graph = chain({1, 2, 3});
  graph.id = {10, 20, 30};
  graph.first_successor = {0, 1, 2, 3};
  graph.successors = {1, 2, 1};
  TaskGraph classes = chain({1, 2, 3});
  classes.id = {10, 20, 30};
  classes.duration_ns[1] = kNoDuration;
  for (const Policy policy : kAll) {
    const std::string error = error_of(graph, with(policy, 2));
    CHECK((error == "task 20 is on a cycle: it comes after itself" ||
           error == "task 30 is on a cycle: it comes after itself"));
    CHECK(error_of(classes, with(policy, 2)) == "task 20 has no duration on a plain core");
  }
}

TEST_CASE("times up to 63 bits are exact, and past them refused") {
  for (const Policy policy : kAll) {
    CHECK(simulate(chain({kLargest - 3, 1, 1}), with(policy, 1'000'000))->makespan_ns == kLargest - 1);
    CHECK(error_of(chain({kLargest, 1}), with(policy, 1)).find("63 bits") != std::string::npos);
  }
}

TEST_CASE("long tasks keep the critical-path order where narrow tables do not hold them") {
  // Durations of more than 32 bits, then levels that leave no room for the index beside them in 64 bits.
  std::mt19937 random(12);
  for (const int shift : {33, 54}) {
    for (int round = 0; round < 300; ++round) {
      auto tasks = random_tasks(random);
      for (auto& task : tasks) {
        task.duration <<= shift;
        task.release <<= shift;
      }
      const TaskGraph graph = graph_of(tasks);
      for (const Policy policy : {Policy::kFifo, Policy::kCriticalPath, Policy::kLifo}) {
        CAPTURE(shift, round, policy_name(policy));
        CHECK(simulate(graph, with(policy, 3))->makespan_ns == reference::makespan(tasks, 3, policy));
      }
    }
  }
}

TEST_CASE("a task that joins a thousand others starts behind the last of them") {
  std::vector<reference::Task> tasks(1001);
  for (int i = 0; i < 1000; ++i) {
    tasks[static_cast<std::size_t>(i)].duration = 1;
    tasks[1000].after.push_back(i);
  }
  tasks[1000].duration = 5;
  for (const Policy policy : kAll) CHECK(simulate(graph_of(tasks), with(policy, 7))->makespan_ns == 143 + 5);
}

TEST_CASE("a divided duration is the nearest nanosecond") {
  using foretask::simulate::divided_duration;
  CHECK(divided_duration(100, 3.0) == 33);
  CHECK(divided_duration(101, 3.0) == 34);
  CHECK(divided_duration(10, 4.0) == 3);  // 2.5: halves go up
  CHECK(divided_duration(7, 2.0) == 4);
  CHECK(divided_duration(1000, 1.6) == 625);
  CHECK(divided_duration(5, 0.5) == 10);
  CHECK(divided_duration(0, 100.0) == 0);
  CHECK(divided_duration(1, 100.0) == 0);
  CHECK(divided_duration(kLargest, 1.0) == kLargest);
  CHECK(divided_duration(kLargest, 2.0) == std::int64_t{1} << 62);
  CHECK(divided_duration(kLargest, 0.5) == kLargest);
  // Past 53 bits: 2^53 + 3 is no double; 5 * 2^-52 of it are 10.
  CHECK(divided_duration((std::int64_t{1} << 53) + 3, 1.0 + 0x5p-52) == (std::int64_t{1} << 53) + 3 - 10);
}

TEST_CASE("a kernel divided twice is divided by both") {
  auto options = with(Policy::kFifo, 1);
  options.speedups = {{0, 2.0}, {0, 5.0}};
  CHECK(simulate(chain({100}), options)->makespan_ns == 10);
}

TEST_CASE("a factor below one makes tasks longer, and too long is an error") {
  auto options = with(Policy::kFifo, 1);
  options.speedups = {{0, 0.25}};
  CHECK(simulate(chain({100}), options)->makespan_ns == 400);
  options.speedups = {{0, 1e-300}};
  CHECK(error_of(chain({100, 1}), options).find("63 bits") != std::string::npos);
}
