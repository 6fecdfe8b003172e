// SPDX-License-Identifier: Apache-2.0
// Workers of several classes; every time counted by hand.
#include <memory>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "unit/simulate/graph_of.hpp"
#include "unit/simulate/graph_text.hpp"

using namespace foretask;
using namespace foretask::analysis;

namespace {

// Four independent tasks: 0 and 1 on either, 2 on the gpu alone, 3 on a plain core alone.
const std::string kGraph = R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 0, "kernel": "a", "duration": 100, "on": {"gpu": 10}}
{"id": 1, "kernel": "a", "duration": 100, "on": {"gpu": 10}}
{"id": 2, "kernel": "b", "on": {"gpu": 30}}
{"id": 3, "kernel": "c", "duration": 40}
)";

Result<SimulationResult> replay(const std::string& graph, const std::string& workers, Policy policy) {
  const auto platform = platform_of_workers(workers);
  if (!platform) return platform.error();
  SimulationOptions options;
  options.cores = 0;
  options.policy = policy;
  options.platform = std::make_shared<const Platform>(*platform);
  options.keep_schedule = true;
  return simulate(graph_of_text(graph), options);
}

}  // namespace

TEST_CASE("critical-path gives each task to the idle class that it is fastest on") {
  const auto result = replay(kGraph, "cpu=1,gpu=1", Policy::kCriticalPath);
  REQUIRE(result.ok());
  // Shortest times as levels: 3 (40), 2 (30), 0, 1 (10). 3 on the core, 2 on the gpu until 30, then 0; 1 at 40 on the
  // gpu, which is free at the same instant as the core and faster.
  CHECK(result->schedule[3].start_ns == 0);
  CHECK(result->schedule[2].start_ns == 0);
  CHECK(result->schedule[0].start_ns == 30);
  CHECK(result->schedule[1].start_ns == 40);
  CHECK(result->schedule[1].worker == 1);
  CHECK(result->makespan_ns == 50);
  CHECK(result->work_ns == 40 + 30 + 10 + 10);
}

TEST_CASE("heft waits for the faster class where it ends earlier") {
  // One task that an idle core would take 100 for, while the gpu is busy until 30 and then takes 10.
  const auto result = replay(kGraph, "cpu=2,gpu=1", Policy::kHeft);
  REQUIRE(result.ok());
  CHECK(result->makespan_ns == 50);
  const auto greedy = replay(kGraph, "cpu=2,gpu=1", Policy::kCriticalPath);
  REQUIRE(greedy.ok());
  CHECK(greedy->makespan_ns == 100);  // the idle second core takes one of the first two
}

TEST_CASE("a task that no worker can run is named with what it has and what there is") {
  const auto no_gpu = replay(kGraph, "cpu=4", Policy::kCriticalPath);
  REQUIRE(!no_gpu.ok());
  CHECK(no_gpu.error().message() == "task 2 (b) cannot run on any worker (cpu): it has durations on gpu");
  const auto no_core = replay(kGraph, "gpu=4", Policy::kHeft);
  REQUIRE(!no_core.ok());
  CHECK(no_core.error().message() == "task 3 (c) cannot run on any worker (gpu): it has durations on cpu");
}

TEST_CASE("what a class may not do is refused") {
  CHECK(!platform_of_workers("").ok());
  CHECK(!platform_of_workers("cpu").ok());
  CHECK(!platform_of_workers("cpu=0").ok());
  CHECK(!platform_of_workers("cpu=-1").ok());
  CHECK(!platform_of_workers("cpu=2,").ok());
  CHECK(!platform_of_workers("cpu=2,cpu=3").ok());
  CHECK(!platform_of_workers("=3").ok());
  CHECK(platform_of_workers("cpu=2,my=gpu=3").ok());
  CHECK(!replay(kGraph, "cpu=1,gpu=1", Policy::kWorkStealing).ok());
}

TEST_CASE("one node of plain cores replays as identical cores do") {
  std::mt19937 random(20240);
  for (int round = 0; round < 2000; ++round) {
    const TaskGraph graph = graph_of(random_tasks(random));
    SimulationOptions options;
    options.cores = 1 + random() % 5;
    for (const Policy policy :
         {Policy::kFifo, Policy::kReadyFifo, Policy::kLifo, Policy::kCriticalPath, Policy::kPriority}) {
      options.policy = policy;
      options.platform = nullptr;
      const auto cores = simulate(graph, options);
      options.platform = std::make_shared<const Platform>(Platform{.nodes = {{}}});
      const auto platform = simulate(graph, options);
      REQUIRE(cores.ok());
      REQUIRE(platform.ok());
      CAPTURE(round, policy_name(policy), options.cores);
      REQUIRE(platform->makespan_ns == cores->makespan_ns);
      REQUIRE(platform->work_ns == cores->work_ns);
      REQUIRE(platform->utilization == cores->utilization);
    }
  }
}

TEST_CASE("workers given by class are one node, wherever the graph places its tasks") {
  const std::string graph = R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 0, "kernel": "a", "duration": 100}
{"id": 1, "kernel": "a", "duration": 50, "node": 7, "after": [{"id": 0, "bytes": 1000}]}
)";
  for (const Policy policy : {Policy::kCriticalPath, Policy::kHeft}) {
    const auto result = replay(graph, "cpu=2", policy);
    REQUIRE(result.ok());
    CHECK(result->makespan_ns == 150);
  }
  SimulationOptions cores;
  cores.cores = 2;
  cores.policy = Policy::kHeft;
  const auto planned = simulate(graph_of_text(graph), cores);
  REQUIRE(planned.ok());
  CHECK(planned->makespan_ns == 150);
}

TEST_CASE("a task that needs no worker takes its own duration on any machine") {
  const auto result = replay(R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 0, "kernel": "a", "duration": 100, "cores": 0, "on": {"gpu": 1}}
)",
                             "cpu=1,gpu=1", Policy::kCriticalPath);
  REQUIRE(result.ok());
  CHECK(result->makespan_ns == 100);
}
