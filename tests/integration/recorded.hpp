// SPDX-License-Identifier: Apache-2.0
// Records a test program by the real command line, and reads the run as a user's script would: report --json, simulate
// --json. What must hold of every run is checked here, on each of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "integration/cli_command.hpp"
#include "integration/referee.hpp"

namespace record_test {

using cli_test::contents;
using cli_test::Outcome;
using cli_test::quoted;
using cli_test::run;
using cli_test::Scratch;
using nlohmann::json;

// An OpenMP runtime to run the programs on: a name and the folder of its libomp.so.5, empty for the system's own. The
// name libgomp: GCC's, for the programs as GCC builds them.
struct Runtime {
  std::string name;
  std::string folder;
  [[nodiscard]] bool is_libgomp() const { return name == "libgomp"; }
};

// FORETASK_TEST_RUNTIMES: NAME=FOLDER, parted by '|'.
inline std::vector<Runtime> runtimes() {
  std::vector<Runtime> found;
  std::string text = FORETASK_TEST_RUNTIMES;
  while (!text.empty()) {
    const std::string entry = text.substr(0, text.find('|'));
    text.erase(0, entry.size() + 1);
    found.push_back({entry.substr(0, entry.find('=')), entry.substr(entry.find('=') + 1)});
  }
  return found;
}

inline const std::string kPrograms = FORETASK_TEST_PROGRAMS;
inline const std::string kHook = FORETASK_TEST_HOOK;  // what OMP_TOOL_LIBRARIES names

// A test program's path, and the number of the line of its source that ends in `// mark`.
inline std::string program(const std::string& name) { return kPrograms + "/" + name; }

inline int line_of(const std::string& source, const std::string& mark) {
  std::ifstream in(std::string(FORETASK_TESTS_DIR) + "/integration/programs/" + source);
  const std::string ending = "// " + mark;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.size() >= ending.size() && line.compare(line.size() - ending.size(), ending.size(), ending) == 0)
      return number;
  }
  FAIL(source << " has no line '" << ending << "'");
  return 0;
}

// Parts of warnings that the tests expect.
inline const char* const kNoTask = "no explicit task was recorded";
inline const char* const kNoOrderlyEnd = "did not end in order";
inline const char* const kSharedCores = " of their time they waited for one";
inline const char* const kUnfinished = "had not ended when the recording ended";

struct Settings {
  int threads = 2;
  Runtime runtime{};
  std::string environment{};            // shell assignments
  std::vector<std::string> warnings{};  // what the report must warn of, each a part of one warning
  std::vector<std::string> options{};   // of foretask record
  int exit_code = 0;                    // the program's
  std::string folder = "run";
};

// GCC gives a call that makes a task without data the line of what comes before it.
inline bool names_all_tasks(const Settings& settings) { return !settings.runtime.is_libgomp(); }

inline std::string assignments(const Settings& settings) {
  std::string text = "OMP_NUM_THREADS=" + std::to_string(settings.threads) + " " + settings.environment;
  if (!settings.runtime.folder.empty()) text += " LD_LIBRARY_PATH=" + quoted(settings.runtime.folder);
  return "export " + text + ";";
}

struct Recorded {
  Outcome outcome;     // of foretask record: the program's own
  std::string folder;  // of the run
  json report;
  [[nodiscard]] std::int64_t operator[](const char* key) const { return report.at(key).get<std::int64_t>(); }
};

// So many of a kernel; 0 where there is no such kernel.
inline std::int64_t tasks_of(const Recorded& recorded, const std::string& kernel) {
  for (const json& one : recorded.report.at("kernels"))
    if (one.at("name") == kernel) return one.at("count");
  return 0;
}

// The report's figures among themselves, whatever the program was.
inline void check_figures(const json& report, const std::vector<std::string>& warnings) {
  const auto figure = [&report](const char* key) { return report.at(key).get<std::int64_t>(); };
  const std::int64_t workers_elapsed = figure("workers") * figure("elapsed_ns");
  const std::int64_t sum = figure("work_ns") + figure("delay_ns") + figure("no_work_ns");
  INFO(report.dump(1).substr(0, 1000));
  // To rounding: each of the four figures is a whole number of ns, and elapsed counts once a worker.
  const double rounding = 1.5 + 0.5 * static_cast<double>(figure("workers"));
  CHECK(std::abs(static_cast<double>(sum - workers_elapsed)) <= 1e-6 * static_cast<double>(workers_elapsed) + rounding);
  CHECK(report.at("identity_error").get<double>() <= 1e-6);
  std::int64_t by_cause = figure("useful_ns");
  for (const json& cause : report.at("causes")) {
    by_cause += cause.at("lost_ns").get<std::int64_t>();
    CHECK(cause.at("lost_ns") > 0);
    CHECK(cause.at("text") != "");
  }
  CHECK(by_cause == figure("workers") * figure("wall_ns"));
  CHECK(figure("wall_ns") == figure("elapsed_ns") + figure("core_wait_elapsed_ns"));
  for (const char* key : {"work_ns", "span_ns", "delay_ns", "no_work_ns", "blocked_ns", "probe_ns"})
    CHECK(figure(key) >= 0);
  CHECK(figure("span_ns") <= figure("work_ns") + figure("outside_ns"));
  CHECK(figure("span_ns") <= figure("burdened_span_ns"));
  // Where threads wait for a core the elapsed time is shorter by the part of them that waits, the path by its own.
  CHECK(static_cast<double>(figure("span_ns")) <=
        1.05 * static_cast<double>(figure("elapsed_ns") + figure("core_wait_elapsed_ns")));
  CHECK(figure("elapsed_ns") <= figure("recorded_elapsed_ns"));
  CHECK(figure("dropped_events") == 0);
  std::int64_t kernel_work = 0;
  std::int64_t kernel_path = 0;
  for (const json& kernel : report.at("kernels")) {
    kernel_work += kernel.at("work_ns").get<std::int64_t>();
    kernel_path += kernel.at("critical_path_ns").get<std::int64_t>();
  }
  CHECK(kernel_work == figure("work_ns"));
  CHECK(kernel_path == figure("span_ns"));
  // More threads than this machine has cores are warned of where they got in each other's way.
  std::vector<std::string> given = report.at("warnings");
  std::erase_if(given, [](const std::string& warning) { return warning.find(kSharedCores) != std::string::npos; });
  INFO("warnings: " << json(given).dump());
  REQUIRE(given.size() == warnings.size());
  for (std::size_t i = 0; i < warnings.size(); ++i)
    CHECK_THAT(given[i], Catch::Matchers::ContainsSubstring(warnings[i]));
}

// Greedy schedules of the recorded graph (Graham 1969): never shorter than the span or the work a core, never longer
// than both together; on one core the work itself. The upper bound is none for loops: their schedules are not greedy.
inline void check_replay(const Scratch& scratch, const Recorded& recorded) {
  const Outcome outcome = cli_test::foretask(
      scratch, {"simulate", recorded.folder, "--cores", "1,2,7", "--policy", "ready-fifo", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json replay = json::parse(outcome.out);
  CHECK(replay.at("tasks") == recorded.report.at("tasks"));
  CHECK(replay.at("edges") == recorded.report.at("edges"));
  CHECK(replay.at("work_ns") == recorded.report.at("work_ns"));
  CHECK(replay.at("span_ns") == recorded.report.at("span_ns"));
  for (const json& one : replay.at("runs")) {
    const auto cores = one.at("cores").get<std::int64_t>();
    const auto makespan = one.at("makespan_ns").get<std::int64_t>();
    CHECK(makespan >= recorded["span_ns"]);
    CHECK(makespan * cores >= recorded["work_ns"]);  // and no more than that on one core
    if (recorded.report.at("loops").empty()) CHECK(makespan <= recorded["work_ns"] / cores + recorded["span_ns"] + 1);
    if (cores == 1) CHECK(makespan <= recorded["work_ns"] + recorded["outside_ns"]);
  }
}

// With every task a plain call, but for those that say why not, the work is the same, and no path becomes shorter.
inline void check_cut_offs(const Scratch& scratch, const Recorded& recorded) {
  const Outcome outcome = cli_test::foretask(scratch, {"whatif", recorded.folder, "--grain", "1000000s", "--cores",
                                                       "1,7", "--policy", "ready-fifo", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json answer = json::parse(outcome.out);
  CHECK(answer.at("tasks") == recorded.report.at("tasks"));
  CHECK(answer.at("work_ns") == recorded.report.at("work_ns"));
  REQUIRE(answer.at("rows").size() == 2);
  for (const json& row : answer.at("rows")) {
    INFO(row.dump(1));
    CHECK(row.at("tasks") == row.at("waiting").get<std::int64_t>() + row.at("whole").get<std::int64_t>());
    const auto cores = row.at("cores").get<std::int64_t>();
    const auto makespan = row.at("makespan_ns").get<std::int64_t>();
    CHECK(makespan >= recorded["span_ns"]);
    CHECK(makespan * cores >= recorded["work_ns"]);
    if (cores == 1) CHECK(makespan <= recorded["work_ns"] + recorded["outside_ns"]);
  }
}

// What babeltrace2 reads must be what foretask counted. Where it is not installed this is not checked: the cases
// that need nothing else of a recording are then listed as skipped.
inline void check_by_referee(const Recorded& recorded, bool all_tasks_ended = true) {
  if (!has_referee()) return;
  const EventCounts events = read_by_referee(recorded.folder);
  const auto count = [&events](const char* name) { return static_cast<std::int64_t>(events.of(name)); };
  CHECK(static_cast<std::int64_t>(events.creations()) - events.depend_waits - events.empty_tasks ==
        recorded["create_task"]);
  CHECK(count("taskwait_begin") + count("taskgroup_wait") + count("depend_wait_end") == recorded["wait_tasks"]);
  if (all_tasks_ended)
    CHECK(count("task_end") + count("task_detach") + count("task_cancel") ==
          recorded["tasks"] + recorded["cancelled_tasks"]);
  CHECK(count("barrier_begin") >= recorded["barriers"]);
}

// Runs `foretask record --out FOLDER -- NAME ARGUMENTS` and nothing else.
inline Outcome run_recorder(const Scratch& scratch, const std::string& name,
                            const std::vector<std::string>& arguments = {}, const Settings& settings = {}) {
  std::vector<std::string> words{"timeout", "-k", "5", "120", cli_test::kForetask, "record", "--out", settings.folder};
  words.insert(words.end(), settings.options.begin(), settings.options.end());
  words.insert(words.end(), {"--", program(settings.runtime.is_libgomp() ? "gcc_" + name : name)});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run(scratch, words, assignments(settings));
}

// The report of the run in `folder`, which must be readable.
inline json report_of(const Scratch& scratch, const std::string& folder) {
  const Outcome report = cli_test::foretask(scratch, {"report", folder, "--json"});
  INFO(report.err);
  REQUIRE(report.exit_code == 0);
  return json::parse(report.out);
}

// Records `name` with `arguments`, and checks what holds of every undisturbed run. The folder is scratch/run.
inline Recorded record(const Scratch& scratch, const std::string& name, const std::vector<std::string>& arguments = {},
                       const Settings& settings = {}) {
  Recorded recorded;
  recorded.outcome = run_recorder(scratch, name, arguments, settings);
  recorded.folder = scratch / settings.folder;
  INFO(name << " on " << settings.threads << " threads of " << settings.runtime.name << ": " << recorded.outcome.out
            << recorded.outcome.err);
  REQUIRE(recorded.outcome.exit_code == settings.exit_code);
  recorded.report = report_of(scratch, recorded.folder);
  check_figures(recorded.report, settings.warnings);
  CHECK(recorded["tasks"] + recorded["cancelled_tasks"] == recorded["create_task"]);
  check_replay(scratch, recorded);
  check_cut_offs(scratch, recorded);
  const auto& expected = settings.warnings;
  check_by_referee(recorded, std::find(expected.begin(), expected.end(), kUnfinished) == expected.end());
  return recorded;
}

// A share by which two times differ.
inline double time_error(double found, double expected) { return std::abs(found / expected - 1); }

// A virtual machine's host takes its processors away for ms at a time, within tasks or between two readings of a clock:
// a program's times and the recorder's differ by that, in one run. What is counted wrongly is wrong in all: of up to
// eight runs the one whose `error` is least, or the first that is `enough`.
template <typename Attempt, typename ErrorOf>
auto nearest_run(Attempt&& attempt, ErrorOf&& error, double enough = 0.1) {
  auto best = attempt();
  for (int i = 1; i < 8 && error(best) > enough; ++i)
    if (auto next = attempt(); error(next) < error(best)) best = std::move(next);
  return best;
}

// The report's row of the kernel at the marked line of the program's source; all copies of it together.
struct KernelRow {
  std::int64_t count = 0;
  std::int64_t work_ns = 0;
};

inline KernelRow kernel(const Recorded& recorded, const std::string& source, const std::string& mark) {
  const std::string place = "(" + source + ":" + std::to_string(line_of(source, mark)) + ")";
  KernelRow row;
  for (const json& one : recorded.report.at("kernels")) {
    if (one.at("name").get<std::string>().find(place) == std::string::npos) continue;
    row.count += one.at("count").get<std::int64_t>();
    row.work_ns += one.at("work_ns").get<std::int64_t>();
  }
  return row;
}

// The numbers that a program printed.
inline std::vector<std::int64_t> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::int64_t> found;
  for (std::int64_t number = 0; in >> number;) found.push_back(number);
  return found;
}

// Runs `check` once for each runtime that is `wanted` and number of threads, each in a section of its own.
template <typename Check, typename Wanted>
void for_each_runtime(std::initializer_list<int> threads, Check&& check, Wanted&& wanted) {
  for (const Runtime& runtime : runtimes()) {
    if (!wanted(runtime)) continue;
    for (const int count : threads) DYNAMIC_SECTION("runtime " << runtime.name << ", threads: " << count) {
        Settings settings;
        settings.threads = count;
        settings.runtime = runtime;
        check(settings);
      }
  }
}

template <typename Check>
void for_each_runtime(std::initializer_list<int> threads, Check&& check) {
  for_each_runtime(threads, check, [](const Runtime&) { return true; });
}

// What is LLVM's alone.
template <typename Check>
void for_each_libomp(std::initializer_list<int> threads, Check&& check) {
  for_each_runtime(threads, check, [](const Runtime& runtime) { return !runtime.is_libgomp(); });
}

}  // namespace record_test
