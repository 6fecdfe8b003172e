// SPDX-License-Identifier: Apache-2.0
// Sequential programs, annotated with tasks: recorded without any runtime, and whatever they get wrong.
#include "integration/recorded.hpp"
#include "integration/task_edges.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

Settings with_warnings(std::vector<std::string> warnings, int exit_code = 0) {
  Settings settings;
  settings.warnings = std::move(warnings);
  settings.exit_code = exit_code;
  return settings;
}

}  // namespace

TEST_CASE("what an annotation cannot be is refused by its status, and the rest is recorded") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "annotated", {"refused"});
  CHECK(recorded.outcome.out ==
        "NULL with bytes: bad argument\n"
        "its end: ok\n"
        "beyond the end: bad argument\n"
        "no such kind: bad argument\n"
        "no list: bad argument\n"
        "no kernel: no kernel\n"
        "too many parameters: wrong number of parameters\n"
        "empty ranges: ok\n"
        "many ranges: ok\n"
        "its parameter: ok\n"
        "one that it has not: wrong number of parameters\n"
        "nothing to end: bad argument\n");
  CHECK(tasks_of(recorded, "one") == 2);
  CHECK(tasks_of(recorded, "two") == 1);
  // The last one reads what the one before wrote; the empty ranges order nothing.
  const TaskEdges graph(scratch, recorded.folder);
  CHECK(graph.kernels == std::vector<std::string>{"one", "two", "one", "three"});
  CHECK(graph.edges == TaskEdges::Edges{{1, 2}});
}

TEST_CASE("a program that unloads the library while it is recorded ends as it does alone") {
  const Scratch scratch;
  const std::string library = std::string(FORETASK_BIN_DIR) + "/../lib/libforetask.so";
  const Outcome outcome =
      cli_test::run(scratch, {program("unloads"), library}, "export FORETASK=record FORETASK_OUT=run;");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit_code == 3);
  Recorded recorded;
  recorded.outcome = outcome;
  recorded.folder = scratch / "run";
  recorded.report = report_of(scratch, recorded.folder);
  CHECK(tasks_of(recorded, "unloads") == 10);
  CHECK(recorded.report.at("warnings").empty());
}

TEST_CASE("a task without an end, and a program that ends within one, leave a recording all the same") {
  const Scratch scratch;
  const Recorded open = record(scratch, "annotated", {"open"}, with_warnings({kUnfinished}));
  CHECK(tasks_of(open, "two") == 2);
  Settings settings = with_warnings({kUnfinished}, 3);
  settings.folder = "exits";
  CHECK(tasks_of(record(scratch, "annotated", {"exit"}, settings), "one") == 1);
}

TEST_CASE("tasks within tasks are in order among themselves, and over before what comes after their parent") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "annotated", {"nested"});
  CHECK(recorded["tasks"] == 6);
  // one, its two, one, its two: numbered in order of creation.
  const TaskEdges graph(scratch, recorded.folder);
  CHECK(graph.kernels == std::vector<std::string>{"one", "two", "two", "one", "two", "two"});
  CHECK(graph.edges.count({0, 3}) == 1);
  CHECK(graph.edges.count({1, 2}) == 1);
  CHECK(graph.edges.count({4, 5}) == 1);
  CHECK(graph.edges.count({2, 4}) == 0);
}

TEST_CASE("a task that its thread ends within is over then") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "annotated", {"leaves"});
  CHECK(recorded["tasks"] == 8);
  CHECK(tasks_of(recorded, "one") == 4);
  CHECK(tasks_of(recorded, "two") == 4);
  // On each thread a chain of three, and the task within the third.
  CHECK(TaskEdges(scratch, recorded.folder).edges.size() == 2 * (2 + 1));
}

TEST_CASE("places in the code whose tasks all have names are no kernels") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "annotated", {"nested"});
  const Outcome outcome = cli_test::foretask(scratch, {"whatif", "run", "--factors", "2", "--cores", "1", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  std::set<std::string> kernels;
  const json answer = json::parse(outcome.out);
  for (const json& row : answer.at("rows")) kernels.insert(row.at("kernel"));
  CHECK(kernels == std::set<std::string>{"(serial part)", "one", "two"});
  // Tasks, not the strands that they are cut into.
  for (const json& kernel : answer.at("kernels")) CHECK(kernel.at("tasks") == tasks_of(recorded, kernel.at("name")));
}

TEST_CASE("each thread's tasks are a program of their own") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "annotated", {"threads"});
  CHECK(recorded["workers"] == 2);
  CHECK(tasks_of(recorded, "one") == 4);
  CHECK(tasks_of(recorded, "two") == 3);
  CHECK(TaskEdges(scratch, recorded.folder).edges.size() == 3 + 2);
}

TEST_CASE("a forked child's tasks are not its parent's") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "annotated", {"forks"});
  CHECK(tasks_of(recorded, "one") == 2);
  CHECK(tasks_of(recorded, "two") == 0);
}

TEST_CASE("a child that ends before its parent's first task says nothing of a recording") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "annotated", {"forks early"});
  CHECK(tasks_of(recorded, "one") == 1);
  CHECK_THAT(recorded.outcome.err, !ContainsSubstring("nothing was recorded"));
}

TEST_CASE("what follows a wait comes after all tasks before it") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "annotated", {"waits"});
  CHECK(recorded["wait_tasks"] == 2);  // the program's end is the second
  // No edge between the tasks, but one after the other: the span holds one of the first two and the last.
  CHECK(TaskEdges(scratch, recorded.folder).edges.empty());
  CHECK(recorded["span_ns"] >= 400'000);
  CHECK(recorded["span_ns"] <= recorded["work_ns"] - 180'000);
}

TEST_CASE("scopes are recorded without a runtime, as tasks") {
  const Scratch scratch;
  const Recorded recorded =
      record(scratch, "annotated", {"scopes"}, with_warnings({"5 tasks are of the program's own threads"}));
  CHECK(recorded["tasks"] == 5);
  CHECK(recorded.report.at("samples").empty());
  for (const json& kernel : recorded.report.at("kernels")) {
    if (kernel.at("name") != "one") continue;
    CHECK(kernel.at("count") == 5);
    CHECK(kernel.at("mean_ns").get<double>() >= 200'000);
  }
  CHECK(tasks_of(recorded, "one") == 5);
}

TEST_CASE("a program that comes to no annotation leaves no recording, and is told so") {
  const Scratch scratch;
  const Outcome outcome = run_recorder(scratch, "annotated", {"nothing"});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.err,
             ContainsSubstring("nothing was recorded") && ContainsSubstring("and none of its annotations"));
  CHECK(!cli_test::fs::exists(scratch / "run"));
}

TEST_CASE("annotated tasks are learned") {
  const Scratch scratch;
  const Outcome outcome =
      run(scratch, {cli_test::kForetask, "learn", "--", program("annotated"), "refused"}, "export FORETASK_HOME=home;");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("learned 4 samples of 3 kernels"));
}

TEST_CASE("off, each annotation says so") {
  const Scratch scratch;
  const Outcome outcome = run(scratch, {program("annotated"), "refused"});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("many ranges: off\n") && ContainsSubstring("nothing to end: off\n"));
}
