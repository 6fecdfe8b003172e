// SPDX-License-Identifier: Apache-2.0
// What no number of cores gets around: the lock that is held longest.

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "recording_of.hpp"

using namespace foretask::analysis;

namespace {

// Ten tasks of 100 ns, created one after another by a task of no length. Each holds a lock for 40 ns.
TaskGraph ten_tasks() {
  Recording recording;
  const std::uint32_t root = recording.add_task(kNoNode, 0);
  for (int i = 0; i < 10; ++i) recording.create(root, 100, 0);
  TaskGraph graph = recording.graph();
  graph.locks = {{.lock = 0, .kernel = 0, .times = 10, .handed_on = 10, .held_ns = 400}};
  return graph;
}

SimulationOptions as_the_runtime_does(std::uint32_t cores) {
  SimulationOptions options;
  options.policy = Policy::kWorkStealing;
  options.cores = cores;
  return options;
}

std::int64_t makespan_ns(const TaskGraph& graph, const SimulationOptions& options) {
  const auto result = simulate(graph, options);
  REQUIRE(result);
  return result->makespan_ns;
}

}  // namespace

TEST_CASE("no replay is shorter than its longest lock is held") {
  const TaskGraph graph = ten_tasks();
  CHECK(makespan_ns(graph, as_the_runtime_does(1)) == 1000);
  CHECK(makespan_ns(graph, as_the_runtime_does(2)) == 500);
  CHECK(makespan_ns(graph, as_the_runtime_does(5)) == 400);
  CHECK(makespan_ns(graph, as_the_runtime_does(1000)) == 400);
  const auto result = simulate(graph, as_the_runtime_does(5));
  CHECK(result->speedup == 2.5);
  CHECK(result->utilization == 0.5);
}

TEST_CASE("each time that a lock is handed on costs, on several cores") {
  const TaskGraph graph = ten_tasks();
  SimulationOptions options = as_the_runtime_does(10);
  options.costs.teams = {{.threads = 1, .lock_ns = 1000}, {.threads = 2, .lock_ns = 20}};
  CHECK(lock_bound_ns(graph, options, 1) == 0);
  CHECK(lock_bound_ns(graph, options, 2) == 600);
  CHECK(makespan_ns(graph, options) == 600);
}

TEST_CASE("a kernel that becomes faster holds its locks for a shorter time") {
  TaskGraph graph = ten_tasks();
  graph.kernel_names.emplace_back("other");
  graph.locks = {{.lock = 0, .kernel = 0, .times = 10, .handed_on = 10, .held_ns = 400},
                 {.lock = 0, .kernel = 1, .times = 10, .handed_on = 10, .held_ns = 80},
                 {.lock = 1, .kernel = 1, .times = 1, .handed_on = 1, .held_ns = 150}};
  SimulationOptions options = as_the_runtime_does(100);
  CHECK(lock_bound_ns(graph, options, 100) == 480);
  options.speedups = {{0, 4.0}};
  CHECK(lock_bound_ns(graph, options, 100) == 180);
  options.removed = {0};
  CHECK(lock_bound_ns(graph, options, 100) == 150);
}

TEST_CASE("ideal policies know no locks") {
  SimulationOptions options = as_the_runtime_does(10);
  options.policy = Policy::kReadyFifo;
  CHECK(makespan_ns(ten_tasks(), options) == 100);
}
