// SPDX-License-Identifier: Apache-2.0
// Divisible work in task-graph files: what is read, what is refused, and what is written.
#include "graph/file/graph_file_teams.hpp"

#include <string>

#include "catch.hpp"
#include "graph/file/graph_file_reader.hpp"
#include "scratch.hpp"
#include "unit/simulate/team_graph_of.hpp"

using namespace foretask::analysis;

namespace {

const std::string kHeader = "{\"foretask_graph\": 1, \"time_unit\": \"ns\"}\n";

foretask::Result<TaskGraph> parse(const std::string& tasks) {
  return foretask::graph::parse_task_graph(kHeader + tasks, "g.jsonl");
}

TaskGraph graph_of(const std::string& tasks) {
  auto graph = parse(tasks);
  INFO((graph.ok() ? "" : graph.error().message()));
  REQUIRE(graph.ok());
  return *graph;
}

// A task of 8 ns with these keys.
std::string task(int id, const std::string& keys) {
  return "{\"id\": " + std::to_string(id) + ", \"kernel\": \"k\", \"duration\": 8" + keys + "}\n";
}

std::string error_of(const std::string& tasks) {
  const auto graph = parse(tasks);
  return graph.ok() ? "read without error" : graph.error().message();
}

std::string written(const TaskGraph& graph) {
  const foretask_test::Scratch scratch;
  REQUIRE(write_task_graph(graph, scratch / "graph.jsonl").ok());
  return foretask_test::contents(scratch / "graph.jsonl");
}

}  // namespace

TEST_CASE("a loop by hand is a phase of one thread") {
  const TaskGraph graph = graph_of(task(0, "") + task(1, ", \"after\": [0], \"loop\": {\"iterations\": 1000}"));
  REQUIRE(graph.team.phases.size() == 1);
  CHECK(graph.team.phases[0].threads == 1);
  CHECK(graph.team.phases[0].divides);
  REQUIRE(graph.team.strands.size() == 1);
  CHECK(graph.team.strands[0].node == 1);
  CHECK(graph.team.strands[0].loop == 0);
  REQUIRE(graph.team.loops.size() == 1);
  CHECK(graph.team.loops[0].schedule == LoopSchedule::kStatic);
  CHECK(graph.team.loops[0].iterations == 1000);
  CHECK(graph.team.pieces.empty());
}

TEST_CASE("shares of a loop tell of it together, and of its phase") {
  const TaskGraph graph =
      graph_of(task(0, ", \"thread\": 1, \"loop\": {\"number\": 7, \"pieces\": [[2, 3, 2, 1.5]]}") +
               task(1,
                    ", \"loop\": {\"number\": 7, \"iterations\": 4, \"schedule\": \"dynamic,2\", "
                    "\"pieces\": [[0, 1, 2, 1e3]]}, \"phase\": -5, \"threads\": 3") +
               task(2, ", \"phase\": -5, \"thread\": 1") + task(3, ", \"phase\": -5, \"once\": true"));
  REQUIRE(graph.team.phases.size() == 1);
  CHECK(graph.team.phases[0].threads == 3);
  CHECK_FALSE(graph.team.phases[0].rest_divides);
  REQUIRE(graph.team.strands.size() == 4);
  CHECK(graph.team.strands[2].loop == kNoLoop);
  CHECK(graph.team.strands[3].is_of_one);
  REQUIRE(graph.team.loops.size() == 1);
  CHECK(schedule_name(graph.team.loops[0]) == "dynamic,2");
  REQUIRE(graph.team.pieces.size() == 2);  // by thread
  CHECK(graph.team.pieces[0].thread == 0);
  CHECK(graph.team.pieces[0].weight == 1000);
  CHECK(graph.team.pieces[1].thread == 1);
  CHECK(graph.team.pieces[1].first == 2);
  CHECK(graph.team.pieces[1].last == 3);
}

TEST_CASE("without divisible work the keys are other programs' notes") {
  const TaskGraph graph = graph_of(task(0, ", \"phase\": \"init\", \"thread\": -3.5, \"once\": 7") +
                                   task(1, ", \"phase\": 2, \"threads\": [1], \"divides\": false, \"cores\": 0"));
  CHECK(graph.team.phases.empty());
  CHECK(graph.team.strands.empty());
}

TEST_CASE("wrong divisible work is named with its line") {
  const std::string loop = ", \"loop\": {\"iterations\": 10}";
  const auto with = [&](const std::string& keys) { return error_of(task(0, loop) + task(1, keys)); };
  const auto of_loop = [](const std::string& keys) { return error_of(task(0, ", \"loop\": {" + keys + "}")); };
  CHECK(of_loop("\"iterations\": -1") == "g.jsonl:2: the loop's number of iterations is negative");
  CHECK(of_loop("\"iterations\": 1, \"iterations\": 1") == "g.jsonl:2: iterations of the loop is given twice");
  CHECK(of_loop("\"number\": 1") == "g.jsonl:2: the loop has no iterations");
  CHECK(of_loop("\"iterations\": 1, \"schedule\": \"fast\"") ==
        "g.jsonl:2: schedule 'fast' is not static, dynamic or guided, alone or with a chunk: dynamic,4");
  CHECK(of_loop("\"iterations\": 1, \"schedule\": \"dynamic,0\"").find("dynamic,0") != std::string::npos);
  CHECK(of_loop("\"iterations\": 10, \"pieces\": [[8, 10, 3, 1]]") ==
        "g.jsonl:2: the piece from 8 to 10 is not in the loop, whose iterations are 0 to 9");
  CHECK(of_loop("\"iterations\": 10, \"pieces\": [[8, 7, 1, 1]]") ==
        "g.jsonl:2: a piece's last iteration is before its first");
  CHECK(of_loop("\"iterations\": 10, \"pieces\": [[-1, 7, 1, 1]]") ==
        "g.jsonl:2: a piece's first iteration is negative");
  CHECK(of_loop("\"iterations\": 10, \"pieces\": [[1, 2, 3, 1]]") ==
        "g.jsonl:2: a piece from 1 to 2 cannot have 3 iterations");
  CHECK(of_loop("\"iterations\": 10, \"pieces\": [[1, 2, 2, -1]]") == "g.jsonl:2: a piece's weight is negative");
  CHECK(of_loop("\"iterations\": 10, \"pieces\": [[1, 2]]") == "g.jsonl:2: expected ',', found ']'");
  CHECK(with(", \"phase\": \"x\"") == "g.jsonl:3: phase is not a number");
  CHECK(with(", \"phase\": 1, \"thread\": -1") == "g.jsonl:3: thread is negative");
  CHECK(with(", \"phase\": 1, \"once\": 1") == "g.jsonl:3: once is neither true nor false");
  CHECK(with(", \"once\": true") == "g.jsonl:3: what is done once needs a phase");
  CHECK(of_loop("\"iterations\": 2, \"pieces\": [[0, 1, 2, 1], [0, 0, 1, 1]]") ==
        "g.jsonl:2: the loop's pieces have more than its 2 iterations");
  CHECK(of_loop("\"iterations\": 2, \"pieces\": [[0, 1, 2, 1e101]]") == "g.jsonl:2: a piece's weight is above 1e100");
  CHECK(with(", \"phase\": 1") == "g.jsonl:3: the task's phase has no loop, and nothing that divides");
  CHECK(with(loop + ", \"once\": true") == "g.jsonl:3: a share of a loop is not done once");
  CHECK(with(loop + ", \"divides\": true") ==
        "g.jsonl:3: a share of a loop divides by its schedule: leave out divides");
  CHECK(with(loop + ", \"cores\": 0") == "g.jsonl:3: a task in a phase or a loop needs a duration and a core");
  CHECK(with(loop + ", \"thread\": 2, \"threads\": 2") ==
        "g.jsonl:3: the task's phase has 2 threads, but a task of thread 2");
}

TEST_CASE("tasks of a loop or a phase must agree") {
  const auto shares = [](const std::string& first, const std::string& second) {
    return error_of(task(0, ", \"loop\": {\"number\": 1, \"iterations\": 9" + first) +
                    task(1, ", \"loop\": {\"number\": 1" + second));
  };
  CHECK(shares("}", "}") == "read without error");
  CHECK(shares("}", ", \"iterations\": 8}") ==
        "g.jsonl:3: an earlier share of the loop has another number of iterations");
  CHECK(shares(", \"schedule\": \"static,2\"}", ", \"schedule\": \"static\"}") ==
        "g.jsonl:3: an earlier share of the loop has another schedule");
  CHECK(shares("}, \"phase\": 1", "}, \"phase\": 2") == "g.jsonl:3: an earlier share of the loop has another phase");
  CHECK(shares("}, \"phase\": 1, \"threads\": 2", "}, \"phase\": 1, \"threads\": 3") ==
        "g.jsonl:3: an earlier task of the phase has another number of threads");
  CHECK(error_of(task(0, ", \"phase\": 1, \"divides\": true") + task(1, ", \"phase\": 1")) ==
        "g.jsonl:3: of the phase's tasks outside of loops some divide and some do not");
}

TEST_CASE("what waits for a part of a phase cannot go before another part") {
  const std::string shares = ", \"loop\": {\"number\": 1, \"iterations\": 9}";
  CHECK(error_of(task(0, shares) + task(1, ", \"after\": [0]") + task(2, shares + ", \"after\": [1]"))
            .find("a task waits for a part of a phase") != std::string::npos);
  // Its own tasks may follow one another.
  CHECK(error_of(task(0, shares) + task(1, shares + ", \"after\": [0]")) == "read without error");
}

TEST_CASE("a file with divisible work is written as it was read") {
  const std::string text =
      kHeader + task(0, "") + task(1, ", \"after\": [0], \"loop\": {\"iterations\": 1000}") +
      task(2,
           ", \"after\": [1], \"phase\": 1, \"threads\": 4, \"loop\": {\"number\": 1, \"schedule\": \"guided,3\", "
           "\"iterations\": 10, \"pieces\": [[0, 8, 4, 0.1], [9, 9, 1, 30]]}") +
      task(3, ", \"after\": [1], \"phase\": 1, \"thread\": 2, \"loop\": {\"number\": 1}") +
      task(4, ", \"after\": [1], \"phase\": 1, \"thread\": 1") +
      task(5, ", \"after\": [1], \"phase\": 1, \"once\": true") + task(6, ", \"divides\": true");
  CHECK(written(graph_of(text.substr(kHeader.size()))) == text);
}

TEST_CASE("pieces that a damaged recording puts outside of their loop are written within it") {
  TaskGraph graph = loop_graph_of({{0, -4, 2, 9, 30}, {1, 12, 40, 3, 60}}, LoopSchedule::kDynamic, 2);
  graph.team.loops[0].iterations = 8;
  const std::string text = written(graph);
  CHECK(text.find("\"pieces\": [[0, 2, 3, 30]]") != std::string::npos);
  CHECK(text.find("\"pieces\": [[0, 7, 3, 60]]") != std::string::npos);
  CHECK(parse(text.substr(kHeader.size())).ok());
}

TEST_CASE("other programs' notes under the key loop, and keys of tasks in no phase, stay unread") {
  const std::string notes = task(0, ", \"loop\": 5") + task(1, ", \"loop\": null") +
                            task(2, ", \"loop\": {\"line\": 3}") +
                            task(3, ", \"loop\": {}, \"thread\": 1, \"once\": false, \"divides\": false");
  CHECK(graph_of(notes).team.phases.empty());
  const TaskGraph graph = graph_of(notes + task(4, ", \"loop\": {\"iterations\": 10}"));
  REQUIRE(graph.team.phases.size() == 1);
  CHECK(graph.team.strands.size() == 1);
}
