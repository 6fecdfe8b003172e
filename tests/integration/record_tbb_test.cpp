// SPDX-License-Identifier: Apache-2.0
// oneTBB programs: their tasks and what waits for them. Counts are made by hand, from the programs and from what the
// library's headers say that a loop does.
#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kTasks = "tbb_tasks";

Settings tbb(std::vector<std::string> warnings = {}, int exit_code = 0) {
  Settings settings;
  settings.warnings = std::move(warnings);
  settings.exit_code = exit_code;
  return settings;
}

// Of the kernel whose lambda is at the marked line.
std::int64_t tasks_at(const Recorded& recorded, const std::string& function, const std::string& mark) {
  return tasks_of(recorded, function + " (tasks.cpp:" + std::to_string(line_of("tbb/tasks.cpp", mark)) + ")");
}

struct Expected {
  const char* how;
  int tasks;
  const char* printed;
};

}  // namespace

TEST_CASE("oneTBB's tasks are counted exactly") {
  const Expected expected = GENERATE(
      // Two a call of fib(2) and more: 2 (F(16) - 1).
      Expected{"fib", 2 * (987 - 1), "610\n"},
      // A loop with one iteration a task splits 63 times: a root and a task for each split.
      Expected{"simple_loop", 64, "64\n"}, Expected{"reduction", 32, "496\n"},
      // Each function but the first three is a task, and these are one with two more below.
      Expected{"invoke", 6, "6\n"},
      // 500 groups, each of two tasks.
      Expected{"reuses", 1000, "1000\n"}, Expected{"two_groups", 8, "8\n"},
      // The loop's 8, one before it, and one from each iteration.
      Expected{"groups_in_loop", 50 + 50 * 5, "250\n"}, Expected{"outer_group", 8 + 1 + 8, "9\n"},
      Expected{"masters", 16, "16\n"}, Expected{"nested_arenas", 3 + 4, "7\n"}, Expected{"enqueues", 4, "4\n"});
  const int threads = GENERATE(1, 2);
  CAPTURE(expected.how, threads);
  const Scratch scratch;
  const Recorded recorded = record(scratch, kTasks, {expected.how, std::to_string(threads)}, tbb());
  CHECK(recorded.outcome.out == expected.printed);
  CHECK(recorded["tasks"] == expected.tasks);
  CHECK(recorded["cancelled_tasks"] == 0);
  const json run = json::parse(contents(recorded.folder + "/run.json"));
  CHECK(run.at("runtime").at("name") == "tbb");
}

TEST_CASE("a oneTBB program behind another is recorded") {
  const auto command = GENERATE(std::vector<std::string>{"env", "A=1", program(kTasks), "fib", "2"},
                                std::vector<std::string>{"timeout", "60", program(kTasks), "fib", "2"},
                                std::vector<std::string>{"sh", "-c", "'" + program(kTasks) + "' fib 2; true"});
  const Scratch scratch;
  std::vector<std::string> words{"record", "--out", "run", "--"};
  words.insert(words.end(), command.begin(), command.end());
  const Outcome recorded = cli_test::foretask(scratch, words);
  INFO(recorded.err);
  CHECK_THAT(recorded.err, ContainsSubstring("recorded into ") && !ContainsSubstring("warning"));
  const Outcome report = cli_test::foretask(scratch, {"report", "run", "--json"});
  REQUIRE(report.exit_code == 0);
  CHECK(json::parse(report.out).at("tasks") == 2 * (987 - 1));
}

TEST_CASE("a kernel of oneTBB's is named after the user's lambda and its line") {
  const Scratch scratch;
  const Recorded fib = record(scratch, kTasks, {"fib", "2"}, tbb());
  CHECK(tasks_at(fib, "fib_tasks", "first") == 986);
  CHECK(tasks_at(fib, "fib_tasks", "second") == 986);
  Settings settings = tbb();
  settings.folder = "nested";
  CHECK(tasks_at(record(scratch, kTasks, {"masters", "2"}, settings), "masters", "nested loop") == 16);
  settings.folder = "loop";
  CHECK(tasks_at(record(scratch, kTasks, {"simple_loop", "2"}, settings), "simple_loop", "loop") == 64);
}

TEST_CASE("tasks of oneTBB that others feed, cancel or throw out of are all accounted for") {
  const Scratch scratch;
  Settings settings = tbb();
  // Ten items that feed three more one after the other, in blocks of at most four: a block's task and its items'.
  const Recorded fed = record(scratch, kTasks, {"feed", "2"}, settings);
  CHECK(fed.outcome.out == "40\n");
  CHECK(fed["tasks"] >= 40);
  // Those of an array are waited for in a loop of its own, and what they feed behind that.
  settings.folder = "feed_array";
  const Recorded array = record(scratch, kTasks, {"feed_array", "2"}, settings);
  CHECK(array.outcome.out == "40\n");
  CHECK(array["tasks"] > 30);
  settings.folder = "throws";
  const Recorded thrown = record(scratch, kTasks, {"throws", "2"}, settings);
  CHECK(thrown.outcome.out == "1000\n");
  CHECK(thrown["tasks"] + thrown["cancelled_tasks"] == 6);
  settings.folder = "cancels";
  const Recorded cancelled = record(scratch, kTasks, {"cancels", "2"}, settings);
  CHECK(cancelled["tasks"] == std::stoi(cancelled.outcome.out));
  CHECK(cancelled["tasks"] + cancelled["cancelled_tasks"] == 200);
  CHECK(cancelled["cancelled_tasks"] >= 1);
}

TEST_CASE("calls into a full arena are recorded where they run") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, kTasks, {"full_arena", "3"}, tbb());
  CHECK(recorded.outcome.out == "270\n");
  // 30 loops of 8 tasks, and those of the 30 calls that ran as tasks.
  CHECK(recorded["tasks"] >= 240);
  CHECK(recorded["tasks"] <= 270);
}

TEST_CASE("what follows a wait of oneTBB's comes after all that it waited for") {
  const std::string how = GENERATE("two_groups", "outer_group", "foreign", "waits_elsewhere", "suspends_many");
  CAPTURE(how);
  const Scratch scratch;
  const Recorded recorded = record(scratch, kTasks, {how, "2"}, tbb());
  // The serial part's last strand is over once all tasks are, on however many cores: they take their time first.
  const Outcome outcome = cli_test::foretask(scratch, {"export", recorded.folder, "--format", "graph"});
  REQUIRE(outcome.exit_code == 0);
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  std::vector<std::vector<std::size_t>> before;
  std::vector<std::string> kernels;
  while (std::getline(lines, line)) {
    const json node = json::parse(line);
    kernels.push_back(node.at("kernel"));
    before.emplace_back();
    if (node.contains("after"))
      for (const json& one : node.at("after"))
        before.back().push_back(one.is_object() ? one.at("id").get<std::size_t>() : one.get<std::size_t>());
  }
  std::vector<bool> is_reached(before.size(), false);
  std::vector<std::size_t> open;
  for (std::size_t node = 0; node < before.size(); ++node)
    if (kernels[node] == "(serial part)") open.push_back(node);
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (is_reached[node]) continue;
    is_reached[node] = true;
    open.insert(open.end(), before[node].begin(), before[node].end());
  }
  // A task may still have some code to run when it has let the wait go on: a strand of its own, after its others.
  const auto is_rest = [&](std::size_t node) {
    return before[node].size() == 1 && is_reached[before[node].front()] &&
           kernels[before[node].front()] == kernels[node];
  };
  for (std::size_t node = 0; node < before.size(); ++node) CHECK((is_reached[node] || is_rest(node)));
}

TEST_CASE("a replay of oneTBB's tasks steals, and on the recorded threads takes as long as the run") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, kTasks, {"sleeps", "2"}, tbb());
  const Outcome outcome = cli_test::foretask(scratch, {"simulate", recorded.folder, "--cores", "1,2,4", "--json"});
  REQUIRE(outcome.exit_code == 0);
  const json replay = json::parse(outcome.out);
  CHECK(replay.at("runs")[0].at("policy") == "work-stealing");
  const auto makespan = [&](int run) { return replay.at("runs")[run].at("makespan_ns").get<double>(); };
  // 32 tasks of 5 ms asleep; 2 ms for starting and ending the program.
  CHECK(makespan(0) >= 160e6);
  CHECK(time_error(makespan(1), static_cast<double>(recorded["elapsed_ns"])) < 0.1);
  CHECK(makespan(2) < 0.65 * makespan(1));
}

TEST_CASE("a oneTBB program that ends in a task, is killed, or forks leaves a recording") {
  const Scratch scratch;
  Settings settings = tbb({kUnfinished}, 3);
  // By the main thread: oneTBB 2021.8 crashes where another one of its threads calls exit().
  CHECK(record(scratch, kTasks, {"exits", "1"}, settings)["create_task"] == 1);
  settings.folder = "dies";
  CHECK(run_recorder(scratch, kTasks, {"dies", "2"}, settings).exit_code != 0);
  const json died = report_of(scratch, "dies");
  CHECK(died.at("create_task") == 100);
  CHECK_THAT(died.at("warnings").dump(), ContainsSubstring(kNoOrderlyEnd));
  Settings forks = tbb();
  forks.folder = "forks";
  const Recorded forked = record(scratch, kTasks, {"forks", "2"}, forks);
  CHECK(forked.outcome.out == "64\n");
  CHECK(forked["tasks"] == 64);
}

TEST_CASE("tasks of oneTBB that are suspended go on on other threads, and after what resumes them") {
  const Scratch scratch;
  const Recorded once = record(scratch, kTasks, {"suspends", "2"}, tbb());
  CHECK(once.outcome.out == "3\n");
  CHECK(once["tasks"] == 3);
  Settings settings = tbb();
  settings.folder = "many";
  const Recorded many = record(scratch, kTasks, {"suspends_many", "3"}, settings);
  CHECK(many.outcome.out == "200\n");
  CHECK(many["tasks"] == 40 + 160 + 40);
  settings.folder = "late";
  const Recorded late = record(scratch, kTasks, {"resumed_late", "2"}, settings);
  CHECK(late.outcome.out == "1\n");
  CHECK(late["tasks"] == 1);
  // 20 ms pass before it is resumed, in which nothing is ready; so it is in a replay.
  CHECK(late["no_work_ns"] >= 20'000'000);
  CHECK(late["work_ns"] < late["elapsed_ns"]);
}

TEST_CASE("tasks of oneTBB that spawn themselves again, or are mailed to threads, are counted exactly") {
  const Scratch scratch;
  Settings settings = tbb();
  const Recorded again = record(scratch, kTasks, {"respawns", "2"}, settings);
  CHECK(again.outcome.out == "200\n");
  CHECK(again["tasks"] == 200);
  settings.folder = "mailed";
  const Recorded mailed = record(scratch, kTasks, {"mailed", "2"}, settings);
  CHECK(mailed.outcome.out == "800\n");
  // A task runs one part of a loop or more.
  CHECK(mailed["tasks"] >= 100);
  CHECK(mailed["tasks"] <= 800);
  CHECK(mailed["create_task"] == mailed["tasks"]);
}

TEST_CASE("a library that brings oneTBB late, out of the recorder's sight, is recorded") {
  const Scratch scratch;
  const Outcome outcome = run_recorder(scratch, "runs_main", {program("tbb_late_tasks.so"), "fib", "2"}, tbb());
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "610\n");
  CHECK(report_of(scratch, "run").at("tasks") == 2 * (987 - 1));
}

TEST_CASE("of a program that holds a copy of oneTBB it is said that its tasks are not recorded") {
  const Scratch scratch;
  CHECK_THAT(run_recorder(scratch, "tbb_inside").err, ContainsSubstring("tbb_inside holds a copy of oneTBB"));
  CHECK_THAT(run_recorder(scratch, "tbb_inside_stripped").err,
             ContainsSubstring("tbb_inside_stripped holds a copy of oneTBB"));
}

TEST_CASE("annotations before the first oneTBB task leave it its runtime") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "tbb_annotated", {}, tbb());
  CHECK(recorded.outcome.out == "8\n");
  CHECK(recorded["tasks"] == 8);
  CHECK(json::parse(contents(recorded.folder + "/run.json")).at("runtime").at("name") == "tbb");
}

TEST_CASE("oneTBB and OpenMP in one program are in one recording") {
  const Scratch scratch;
  const std::string name = GENERATE("tbb_openmp", "gcc_tbb_openmp");
  CAPTURE(name);
  if (!cli_test::fs::exists(program(name))) FORETASK_SKIP("no GCC with OpenMP");
  const Recorded recorded = record(scratch, name, {}, tbb());
  CHECK(recorded.outcome.out == "26\n");
  CHECK(recorded["tasks"] == 26);
}

TEST_CASE("a recorded oneTBB program keeps its collector, and without a mode the hook does nothing") {
  const Scratch scratch;
  Settings settings = tbb();
  settings.environment = "INTEL_LIBITTNOTIFY64=/nonexistent/collector.so";
  const Recorded recorded = record(scratch, kTasks, {"collector", "2"}, settings);
  CHECK(recorded.outcome.out == "/nonexistent/collector.so\n1\n");
  const Outcome off = run(
      scratch, {program(kTasks), "fib", "2"},
      "export FORETASK=off LD_PRELOAD=" + quoted(std::string(FORETASK_BIN_DIR) + "/../lib/libforetask_tbb.so") + ";");
  CHECK(off.exit_code == 0);
  CHECK(off.out == "610\n");
  CHECK(off.err.empty());
}
