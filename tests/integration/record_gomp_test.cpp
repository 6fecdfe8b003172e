// SPDX-License-Identifier: Apache-2.0
// Programs that GCC built, on GCC's own runtime: what the constructs' tests do not say, and programs behind others.
#include "integration/strand_graph.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kFib = program("gcc_fib");

// As record(), for a command of any words.
Recorded record_command(const Scratch& scratch, std::vector<std::string> command, std::vector<std::string> options = {},
                        const std::string& environment = "") {
  std::vector<std::string> words{"timeout", "-k", "5", "120", cli_test::kForetask, "record", "--out", "run"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back("--");
  words.insert(words.end(), command.begin(), command.end());
  Recorded recorded;
  recorded.outcome = run(scratch, words, "export OMP_NUM_THREADS=2 " + environment + ";");
  INFO(recorded.outcome.err);
  REQUIRE(recorded.outcome.exit_code == 0);
  recorded.folder = scratch / "run";
  recorded.report = report_of(scratch, recorded.folder);
  check_figures(recorded.report, {});
  check_by_referee(recorded);
  return recorded;
}

json run_file(const Recorded& recorded) { return json::parse(contents(recorded.folder + "/run.json")); }

// 10,945 calls with two tasks each: construct_fork_join_test.cpp.
void check_fib(const Recorded& recorded) {
  CHECK(recorded.outcome.out == "fib(20) = 6765\n");
  CHECK(recorded["create_task"] == 2 * 10945);
  CHECK(recorded["wait_tasks"] == 10945);
}

const json& loop_of(const Recorded& recorded, const std::string& schedule) {
  for (const json& loop : recorded.report.at("loops"))
    if (loop.at("schedule") == schedule) return loop;
  FAIL("no loop is " << schedule << recorded.report.at("loops").dump(1));
  return recorded.report;
}

}  // namespace

TEST_CASE("a recording on GCC's runtime says so, and the program's libgomp is the system's") {
  const Scratch scratch;
  const Recorded recorded = record_command(scratch, {kFib, "20"});
  check_fib(recorded);
  const json file = run_file(recorded);
  CHECK(file.at("runtime").at("name") == "openmp");
  CHECK_THAT(file.at("runtime").at("version").get<std::string>(), ContainsSubstring("GNU libgomp"));
  CHECK_THAT(recorded.outcome.err, ContainsSubstring("recorded into ") && !ContainsSubstring("libomp"));
}

TEST_CASE("a program behind another that becomes or starts it is recorded") {
  const auto command = GENERATE(std::vector<std::string>{"env", "A=1", kFib, "20"},
                                std::vector<std::string>{"taskset", "-c", "0-1023", kFib, "20"},
                                std::vector<std::string>{"timeout", "60", kFib, "20"},
                                std::vector<std::string>{"nice", "-n", "1", kFib, "20"},
                                std::vector<std::string>{"sh", "-c", "exec '" + kFib + "' 20"},
                                std::vector<std::string>{"sh", "-c", "'" + kFib + "' 20; true"});
  const Scratch scratch;
  const Recorded recorded = record_command(scratch, command);
  INFO(command.front());
  check_fib(recorded);
  CHECK_THAT(recorded.outcome.err, ContainsSubstring("recorded into ") && !ContainsSubstring("warning"));
  CHECK(run_file(recorded).at("program") == kFib);
}

TEST_CASE("a program behind another that Clang built is recorded on its own runtime") {
  const Scratch scratch;
  const Recorded recorded = record_command(scratch, {"env", program("fib"), "20"});
  check_fib(recorded);
  CHECK_THAT(run_file(recorded).at("runtime").at("version").get<std::string>(), !ContainsSubstring("GNU"));
}

TEST_CASE("a library that brings GCC's OpenMP late is recorded, with its names") {
  const Scratch scratch;
  const Recorded recorded = record_command(scratch, {program("gcc_loads_late"), program("gcc_late_library.so")});
  CHECK(recorded.outcome.out == "before\n100 done\n");
  CHECK(recorded["create_task"] == 100);
  CHECK(kernel(recorded, "late_library.c", "task").count == 100);
}

TEST_CASE("what the program starts inherits its user's environment, and runs unrecorded") {
  const Scratch scratch;
  const Recorded recorded = record_command(scratch, {program("gcc_forks"), "exec", kFib}, {}, "KEPT=1");
  CHECK(recorded.outcome.out == "before 10\nfib(20) = 6765\nafter 10\n");
  CHECK(recorded["create_task"] == 20);
}

TEST_CASE("chunks that GCC's runtime hands out are counted, and each loop has its schedule") {
  const Scratch scratch;
  Settings settings;
  settings.threads = GENERATE(1, 2);
  settings.runtime = {"libgomp", ""};
  const Recorded recorded = record(scratch, "shares", {}, settings);
  CHECK(recorded.outcome.out == "233\n");
  CHECK(recorded["create_task"] == 0);
  // By the program's text: 50, 100, 10, 70 iterations and three sections.
  for (const auto& [schedule, iterations] : std::vector<std::pair<std::string, int>>{
           {"dynamic,3", 50}, {"guided", 100}, {"dynamic,4", 10}, {"dynamic,7", 70}, {"dynamic,1", 3}}) {
    INFO(schedule);
    const json& loop = loop_of(recorded, schedule);
    CHECK(loop.at("iterations") == iterations);
    CHECK(loop.at("instances") == 1);
    CHECK(loop.at("name").get<std::string>().find("(shares.c:") != std::string::npos);
  }
}

// On one thread: what stands for GCC 13's function orders nothing itself.
TEST_CASE("a taskwait with dependences that nobody waits in orders what comes before it and after it") {
  const Scratch scratch;
  Settings settings;
  settings.threads = 1;
  settings.runtime = {"libgomp", ""};
  settings.environment = GENERATE("", "FORETASK_PROGRESS=quiet");
  const Recorded recorded = record(scratch, "nowait", {}, settings);
  CHECK(recorded["create_task"] == 4);
  CHECK(recorded["wait_tasks"] == 0);
  const StrandGraph graph(scratch, recorded, "nowait.c");
  CHECK(graph.is_before("writer of x", "reader of y"));
  CHECK(graph.is_before("writer of y", "reader of y"));
  CHECK(graph.are_free("writer of x", "writer of y"));
  CHECK(graph.are_free("writer of x", "free"));
}

TEST_CASE("target with nowait or depend is a task, and else its thread's own code") {
  const Scratch scratch;
  Settings settings;
  settings.threads = GENERATE(1, 2);
  settings.runtime = {"libgomp", ""};
  settings.environment = GENERATE("", "OMP_CANCELLATION=true");
  const Recorded recorded = record(scratch, "targets", {"depend"}, settings);
  CHECK(recorded.outcome.out == "14\n");
  CHECK(recorded["create_task"] == 5);  // two tasks, two targets, and a task in one of them
}

TEST_CASE("a program with target and teams alone is recorded") {
  const Scratch scratch;
  Settings settings;
  settings.runtime = {"libgomp", ""};
  settings.warnings = {"no explicit task was recorded, and no parallel region"};
  const Recorded recorded = record(scratch, "targets", {"alone"}, settings);
  CHECK(recorded.outcome.out == "3\n");
}

TEST_CASE("GCC's examples compute on their own runtime what they compute unrecorded") {
  const auto [name, size] = GENERATE(table<std::string, std::string>(
      {{"sort_gcc", "1000000"}, {"cholesky_gcc", "1024"}, {"mandelbrot_gcc", "300"}, {"multigrid_gcc", "128"}}));
  const std::string path = cli_test::example(name);
  if (!cli_test::fs::exists(path)) FORETASK_SKIP("the examples are not built");
  const Scratch scratch;
  const Recorded recorded = record_command(scratch, {path, "-n", size});
  CHECK_THAT(recorded.outcome.out, ContainsSubstring(" ok\n"));
}
