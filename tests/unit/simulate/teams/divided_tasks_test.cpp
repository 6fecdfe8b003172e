// SPDX-License-Identifier: Apache-2.0
// Replays of task-graph files with divisible work, and that a recording's graph is the same behind its file. Times by
// hand.
#include <string>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "scratch.hpp"
#include "unit/simulate/graph_text.hpp"
#include "unit/simulate/team_graph_of.hpp"

using namespace foretask::analysis;

namespace {

TaskGraph graph_of(const std::string& tasks) {
  return graph_of_text("{\"foretask_graph\": 1, \"time_unit\": \"us\"}\n" + tasks);
}

std::int64_t makespan_ns(const TaskGraph& graph, std::uint32_t cores, Policy policy = Policy::kFifo,
                         const std::vector<LoopChange>& loops = {}) {
  SimulationOptions options;
  options.policy = policy;
  options.cores = cores;
  options.loops = loops;
  const auto result = simulate(graph, options);
  INFO((result.ok() ? "" : result.error().message()));
  REQUIRE(result.ok());
  CHECK(result->work_ns == work_ns(graph));
  return result->makespan_ns;
}

const std::string kTriangle =
    "{\"id\": 4, \"kernel\": \"k\", \"duration\": 1, \"loop\": {\"schedule\": \"dynamic,1\", \"iterations\": 4, "
    "\"pieces\": [[0, 0, 1, 1], [1, 1, 1, 2], [2, 2, 1, 3], [3, 3, 1, 4]]}}\n";

}  // namespace

TEST_CASE("an even loop by hand divides into even shares") {
  const TaskGraph graph = graph_of(
      "{\"id\": 0, \"kernel\": \"begin\", \"duration\": 10}\n"
      "{\"id\": 1, \"kernel\": \"relax\", \"duration\": 800, \"after\": [0], \"loop\": {\"iterations\": 1000}}\n"
      "{\"id\": 2, \"kernel\": \"end\", \"duration\": 5, \"after\": [1]}\n");
  CHECK(makespan_ns(graph, 1) == 815'000);
  CHECK(makespan_ns(graph, 4) == 215'000);
  CHECK(makespan_ns(graph, 3) == 282'200);    // 334 iterations of 0.8 us
  CHECK(makespan_ns(graph, 2000) == 15'800);  // an iteration each
  CHECK(span_ns(graph) == 15'800);
}

TEST_CASE("a triangular loop is dealt out by its pieces") {
  const TaskGraph graph = graph_of(kTriangle);
  CHECK(makespan_ns(graph, 1) == 1000);
  CHECK(makespan_ns(graph, 2) == 600);  // 100 + 300, 200 + 400
  CHECK(makespan_ns(graph, 4) == 400);
  CHECK(span_ns(graph) == 400);
  const std::vector<LoopChange> in_blocks{{0, LoopSchedule::kStatic, 0}};
  CHECK(makespan_ns(graph, 2, Policy::kFifo, in_blocks) == 700);  // 100 + 200, 300 + 400
}

TEST_CASE("what follows a loop waits for all its threads, another loop too") {
  const std::string four = ", \"duration\": 400, \"loop\": {\"iterations\": 4}";
  const TaskGraph graph = graph_of("{\"id\": 0, \"kernel\": \"a\"" + four + "}\n{\"id\": 1, \"kernel\": \"b\"" + four +
                                   ", \"after\": [0]}\n{\"id\": 2, \"kernel\": \"c\", \"duration\": 1, \"after\": "
                                   "[1]}\n{\"id\": 3, \"kernel\": \"c\", \"duration\": 1, \"after\": [1]}\n");
  for (const Policy policy : {Policy::kFifo, Policy::kReadyFifo, Policy::kLifo, Policy::kCriticalPath,
                              Policy::kPriority, Policy::kWorkStealing})
    CHECK(makespan_ns(graph, 4, policy) == 201'000);
  CHECK(makespan_ns(graph, 1) == 802'000);
}

TEST_CASE("what is done once, by each thread, and what divides outside of loops") {
  const std::string loop =
      "{\"id\": 1, \"kernel\": \"l\", \"duration\": 100, \"phase\": 3, \"loop\": {\"schedule\": "
      "\"dynamic,1\", \"iterations\": 100}}\n";
  // One thread has 10 us of its own: 55 us each.
  CHECK(makespan_ns(graph_of(loop + "{\"id\": 2, \"kernel\": \"s\", \"duration\": 10, \"phase\": 3, \"once\": true}\n"),
                    2) == 55'000);
  // Each has 10 us of its own: 10 + 25 us.
  CHECK(makespan_ns(graph_of(loop + "{\"id\": 2, \"kernel\": \"s\", \"duration\": 10, \"phase\": 3}\n"), 4) == 35'000);
  CHECK(makespan_ns(graph_of("{\"id\": 2, \"kernel\": \"s\", \"duration\": 10, \"divides\": true}\n"), 4) == 2'500);
}

TEST_CASE("a phase stays as it is on its own number of threads, however large another is") {
  const TaskGraph graph = graph_of(
      "{\"id\": 0, \"kernel\": \"a\", \"duration\": 100, \"loop\": {\"iterations\": 10}}\n"
      "{\"id\": 1, \"kernel\": \"b\", \"duration\": 30, \"after\": [0], \"loop\": {\"number\": 1, \"iterations\": "
      "10}}\n"
      "{\"id\": 2, \"kernel\": \"b\", \"duration\": 70, \"after\": [0], \"thread\": 1, \"loop\": {\"number\": 1}}\n");
  CHECK(makespan_ns(graph, 2) == 50'000 + 70'000);
}

TEST_CASE("a loop starts at its release, and other tasks keep their ids") {
  const TaskGraph graph = graph_of(
      "{\"id\": 7, \"kernel\": \"a\", \"duration\": 1, \"priority\": 2}\n"
      "{\"id\": 3, \"kernel\": \"a\", \"duration\": 10, \"release\": 40, \"loop\": "
      "{\"iterations\": 2}}\n");
  CHECK(makespan_ns(graph, 2) == 45'000);
  const auto divided = graph_on_cores(graph, 2);
  REQUIRE(divided.ok());
  REQUIRE(*divided);
  CHECK((*divided)->id.front() == 7);
  CHECK((*divided)->id.back() > 7);
  CHECK((*divided)->priority.front() == 2);
}

TEST_CASE("a recorded graph and its file have the same replays") {
  TaskGraph mixed = loop_graph_of({{0, 0, 9, 5, 200}, {1, 10, 39, 35, 900}}, LoopSchedule::kGuided, 2);
  mixed.team.strands[1].loop = kNoLoop;
  mixed.team.phases[0].rest_divides = false;
  TaskGraph once = team_graph_of({70, 30, 400});
  once.team.strands[1].is_of_one = true;
  TaskGraph unseen =
      loop_graph_of({{0, 0, 9, 10, 100}, {1, 10, 19, 10, 300}, {2, 20, 29, 10, 500}}, LoopSchedule::kStatic, 0);
  unseen.team.pieces.clear();
  unseen.team.loops[0].end_piece = 0;
  const foretask_test::Scratch scratch;
  for (const TaskGraph& recorded :
       {loop_graph_of({{0, 0, 9, 10, 100.5}, {1, 10, 19, 10, 300.25}}, LoopSchedule::kStatic, 0),
        loop_graph_of({{0, 0, 1, 2, 30}, {0, 6, 7, 2, 70}, {1, 2, 5, 4, 90}}, LoopSchedule::kDynamic, 2), mixed, once,
        unseen, team_graph_of({100, 500, 300})}) {
    REQUIRE(write_task_graph(recorded, scratch / "graph.jsonl").ok());
    const auto read = read_task_graph(scratch / "graph.jsonl");
    REQUIRE(read.ok());
    CHECK(span_ns(*read) == span_ns(recorded));
    for (std::uint32_t cores = 1; cores <= 8; ++cores)
      for (const Policy policy : {Policy::kFifo, Policy::kCriticalPath})
        CHECK(makespan_ns(*read, cores, policy) == makespan_ns(recorded, cores, policy));
  }
}
