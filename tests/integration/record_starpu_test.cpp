// SPDX-License-Identifier: Apache-2.0
// StarPU programs: their tasks, the order of these, and what foretask learns of them. Counts are made by hand.
#include <filesystem>

#include "integration/recorded.hpp"
#include "integration/task_edges.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

Settings starpu(int workers = 2, std::vector<std::string> warnings = {}, int exit_code = 0) {
  Settings settings;
  settings.threads = workers;
  // What StarPU measures of the machine's buses it keeps for the next test.
  settings.environment = "STARPU_NCPU=" + std::to_string(workers) +
                         " STARPU_NCUDA=0 STARPU_NOPENCL=0 STARPU_SILENT=1 STARPU_WORKERS_NOBIND=1 STARPU_HOME=" +
                         quoted(FORETASK_TEST_PROGRAMS);
  settings.warnings = std::move(warnings);
  settings.exit_code = exit_code;
  return settings;
}

struct Expected {
  const char* how;
  int tasks;
  int edges;  // between tasks; those over an empty task count before and behind it
};

}  // namespace

TEST_CASE("StarPU's tasks and their order are those of the program") {
  // A Cholesky factorization of 6 x 6 tiles: 6 + 15 + 15 + 20 tasks. Edges: potrf 5, from syrk; trsm and syrk 15 + 10
  // each; gemm 2 * 20 from trsm, 10 from gemm.
  const Expected expected = GENERATE(Expected{"cholesky", 56, 105},
                                     // A writer before three readers, these before each of two that commute, which are
                                     // one before the other; both before a reader.
                                     Expected{"accesses", 7, 3 + 6 + 1 + 2}, Expected{"declared", 3, 2},
                                     Expected{"tags", 3, 2}, Expected{"callbacks", 5, 4}, Expected{"regenerated", 4, 3},
                                     Expected{"waits", 4, 0}, Expected{"unnamed", 3, 0}, Expected{"on_stack", 2, 0});
  CAPTURE(expected.how);
  const Scratch scratch;
  const Recorded recorded = record(scratch, "starpu_tasks", {expected.how}, starpu());
  CHECK(recorded["tasks"] == expected.tasks);
  CHECK(recorded["workers"] == 2);  // the thread that submits is none
  CHECK(json::parse(contents(recorded.folder + "/run.json")).at("runtime").at("name") == "starpu");
  const auto is_task = [](const std::string& kernel) {
    return kernel.find("main") == std::string::npos && kernel[0] != '(';
  };
  const TaskEdges graph(scratch, recorded.folder, is_task);
  CHECK(graph.kernels.size() == static_cast<std::size_t>(expected.tasks));
  CHECK(graph.edges.size() == static_cast<std::size_t>(expected.edges));
  // Four tasks of 1 ms, of which the program waits for one after the other.
  if (std::string(expected.how) == "waits") CHECK(recorded["span_ns"] >= 4'000'000);
}

TEST_CASE("a StarPU program that has an OpenMP runtime and does not use it is one of StarPU's") {
  if (!std::filesystem::exists(program("gcc_starpu_tasks"))) FORETASK_SKIP("no gcc that links OpenMP");
  const Scratch scratch;
  const Recorded recorded = record(scratch, "gcc_starpu_tasks", {"accesses"}, starpu());
  CHECK(recorded["tasks"] == 7);
  CHECK(recorded["workers"] == 2);
  CHECK(json::parse(contents(recorded.folder + "/run.json")).at("runtime").at("name") == "starpu");
  Settings settings = starpu();
  settings.folder = "no_shutdown";
  CHECK(record(scratch, "gcc_starpu_tasks", {"no_shutdown"}, settings)["tasks"] == 10);
}

TEST_CASE("StarPU may be started and ended by threads that end at once") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "starpu_tasks", {"threads"}, starpu(1));
  CHECK(recorded["tasks"] == 2 * 3);
  // StarPU's one, and the threads that start and end it: one to four at a time.
  CHECK(recorded["workers"] >= 2);
  CHECK(recorded["workers"] <= 5);
  // Two regions, each with the first two of them.
  for (const json& kernel : recorded.report.at("kernels"))
    if (kernel.at("name").get<std::string>().ends_with("[parallel]")) CHECK(kernel.at("count") == 2 * 2);
}

TEST_CASE("a StarPU task's parameters are read when what it comes after has ended") {
  const Scratch scratch;
  const std::string how = GENERATE("sized", "homeless");
  CAPTURE(how);
  const Recorded recorded = record(scratch, "starpu_tasks", {how}, starpu());
  CHECK(recorded["tasks"] == 12);
  // The writer puts 100, 200 and 300 into the data that two of the models read. The third model reads nothing.
  struct Values {
    const char* kernel;
    const char* parameter;
    double mean;
    double standard_deviation;
  };
  for (const Values& expected : {Values{"by_parameters", "n", 200, 100}, Values{"by_size", "size", 200, 100},
                                 Values{"by_bytes", "bytes", sizeof(double), 0}}) {
    CAPTURE(expected.kernel);
    const Outcome fit =
        cli_test::foretask(scratch, {"model", "fit", recorded.folder, "--kernel", expected.kernel, "--target",
                                     expected.parameter, "--params", "time", "--terms", "1", "--json"});
    REQUIRE(fit.exit_code == 0);
    const json values = json::parse(fit.out);
    CHECK(values.at("n") == 3);
    CHECK(values.at("terms")[0].at("coef").get<double>() == Approx(expected.mean));
    CHECK(values.at("sigma").get<double>() == Approx(expected.standard_deviation));
  }
}

TEST_CASE("StarPU's tasks without a body are nodes between those that have one") {
  const Scratch scratch;
  // Three tasks, one without codelet, two tasks.
  const Recorded empty = record(scratch, "starpu_tasks", {"empty"}, starpu());
  CHECK(empty["tasks"] == 5);
  Settings settings = starpu();
  settings.folder = "partition";
  // The whole vector, its halves, the whole: 4 tasks, and what StarPU does between them.
  const Recorded partition = record(scratch, "starpu_tasks", {"partition"}, settings);
  CHECK(tasks_of(partition, "half") == 2);
  CHECK(tasks_of(partition, "potrf") == 2);
  // However many cores there are: two sleeps of 1 ms one after the other, and three.
  CHECK(empty["span_ns"] >= 2'000'000);
  CHECK(partition["span_ns"] >= 3'000'000);
}

TEST_CASE("one StarPU worker leaves the graph of two") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "starpu_tasks", {"cholesky"}, starpu(1));
  CHECK(recorded["workers"] == 1);
  const TaskEdges graph(scratch, recorded.folder,
                        [](const std::string& kernel) { return kernel.find('(') == std::string::npos; });
  CHECK(graph.edges.size() == 105);
  // Each task sleeps for 1 ms; 16 of them are one after the other.
  CHECK(recorded["span_ns"] >= 16'000'000);
}

TEST_CASE("a StarPU program that dies in a task, or never ends StarPU, leaves a recording") {
  const Scratch scratch;
  const Outcome outcome = run_recorder(scratch, "starpu_tasks", {"dies"}, starpu());
  CHECK(outcome.exit_code != 0);
  const json died = report_of(scratch, "run");
  CHECK(died.at("tasks") == 5);
  CHECK_THAT(died.at("warnings").dump(), ContainsSubstring(kNoOrderlyEnd) && ContainsSubstring(kUnfinished));
  Settings settings = starpu();
  settings.folder = "no_shutdown";
  // 3 x 3 tiles: 3 + 3 + 3 + 1 tasks.
  CHECK(record(scratch, "starpu_tasks", {"no_shutdown"}, settings)["tasks"] == 10);
}

TEST_CASE("the thread that starts StarPU may end before the tasks") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "starpu_tasks", {"elsewhere"}, starpu());
  CHECK(recorded["tasks"] == 10);
  CHECK(tasks_of(recorded, "potrf") == 3);
}

TEST_CASE("a program on another StarPU than the hook's runs without the hook, and that is said") {
  const Scratch scratch;
  const std::vector<std::string> other{cli_test::kForetask, "record", "--out", "run", "--", program("starpu_other")};
  const Outcome outcome = run(scratch, other);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("StarPU's tasks are not recorded: ") &&
                              ContainsSubstring("uses libstarpu-0.9.so.1, and foretask was built for libstarpu-1."));
}

TEST_CASE("foretask learns StarPU's tasks by their codelets' names, and without a mode the hook does nothing") {
  const Scratch scratch;
  const std::string environment = assignments(starpu()) + "export FORETASK_HOME=home;";
  const std::vector<std::string> program_alone{program("starpu_tasks"), "cholesky"};
  std::vector<std::string> learn{"timeout", "60", cli_test::kForetask, "learn", "--"};
  learn.insert(learn.end(), program_alone.begin(), program_alone.end());
  const Outcome learned = run(scratch, learn, environment);
  INFO(learned.err);
  REQUIRE(learned.exit_code == 0);
  const auto samples = [&](const std::string& kernel) {
    const Outcome shown = cli_test::foretask(scratch, {"model", "show", kernel, "--json"}, environment);
    INFO(shown.err);
    REQUIRE(shown.exit_code == 0);
    return json::parse(shown.out);
  };
  CHECK_THAT(samples("gemm").dump(), ContainsSubstring("\"samples\":20"));
  CHECK_THAT(samples("potrf").dump(), ContainsSubstring("\"samples\":6"));
  // Codelets without a name are learned under their function's.
  learn.back() = "unnamed";
  CHECK_THAT(run(scratch, learn, environment).err, ContainsSubstring("learned 3 samples of 1 kernels"));
  const Outcome off = run(scratch, program_alone,
                          environment + "export FORETASK=off LD_PRELOAD=" +
                              quoted(std::string(FORETASK_BIN_DIR) + "/../lib/libforetask_starpu.so") + ";");
  CHECK(off.exit_code == 0);
  // StarPU itself may warn.
  CHECK(off.err == run(scratch, program_alone, environment).err);
}

TEST_CASE("StarPU's dmda gives tasks to the worker on which foretask knows them to be fast") {
  const Scratch scratch;
  const std::string environment =
      assignments(starpu()) + "export FORETASK_HOME=home STARPU_SCHED=dmda STARPU_PERF_MODEL_HOMOGENEOUS_CPU=0;";
  const std::string tasks = program("starpu_tasks");
  // Ten tasks at a time: nine of 1 ms take less than one of 10 ms. Without a model dmda deals them out evenly.
  const Outcome alone = run(scratch, {"timeout", "60", tasks, "uneven"}, environment);
  REQUIRE(alone.exit_code == 0);
  CHECK(std::stoi(alone.out) <= 26);
  const Outcome learned =
      run(scratch, {"timeout", "60", cli_test::kForetask, "learn", "--", tasks, "uneven"}, environment);
  INFO(learned.err);
  REQUIRE(learned.exit_code == 0);
  CHECK(std::stoi(learned.out) >= 32);
}
