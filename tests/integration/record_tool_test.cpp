// SPDX-License-Identifier: Apache-2.0
// The program's own use of the tool interface, which the recorder sits in: other tools, the settings that the runtime
// shows, and a runtime that gives its resources back. programs/tool_library.c is a tool; what it sees alone is what it
// has to see.
#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kTool = program("tool_library.so");

// The recorded tasks of a program that ran beside the tool, and that printed with it what it prints without foretask.
Recorded record_beside_tool(const Scratch& scratch, const std::string& name, Settings settings) {
  settings.environment += " OMP_TOOL_LIBRARIES=" + quoted(kTool);
  const Outcome alone = run(scratch, {program(name)}, assignments(settings));
  REQUIRE(alone.exit_code == 0);
  CHECK_THAT(alone.out, ContainsSubstring("tool: ") && ContainsSubstring(" 0 wrong words, callbacks its own, data 42"));
  Recorded recorded = record(scratch, name, {}, settings);
  CHECK(recorded.outcome.out == alone.out);
  return recorded;
}

}  // namespace

TEST_CASE("a tool of the user's runs beside the recorder, with its own words and callbacks") {
  for_each_libomp({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    CHECK(record_beside_tool(scratch, "fib", settings)["create_task"] == 2 * 10945);  // construct_fork_join_test.cpp
    Settings jumps = settings;
    jumps.folder = "jumps";
    CHECK(kernel(record_beside_tool(scratch, "jumps_optimised", jumps), "jumps.c", "inner").count == 2);
    for (const std::string name : {"depend", "taskloop", "nested", "untied"}) {
      Settings other = settings;
      other.folder = name;
      if (name == "taskloop") other.threads = 2;  // its team of one is another team
      record_beside_tool(scratch, name, other);
    }
  });
}

TEST_CASE("a tool in a library that is preloaded runs beside the recorder") {
  const Scratch scratch;
  Settings settings;
  settings.environment = "LD_PRELOAD=" + quoted(kTool);
  const Recorded recorded = record(scratch, "fib", {"10"}, settings);
  CHECK(recorded["create_task"] == 2 * 88);
  CHECK_THAT(recorded.outcome.out, ContainsSubstring("176 tasks, 176 ended, 88 waits, 0 wrong words"));
}

TEST_CASE("a tool that does not want to run leaves a plain recording") {
  for (const std::string variable : {"TOOL_IS_NOT_WANTED", "TOOL_DECLINES", "OMP_TOOL"}) {
    const Scratch scratch;
    Settings settings;
    settings.environment = "OMP_TOOL_LIBRARIES=" + quoted(kTool) + " " + variable + "=disabled";
    const Recorded recorded = record(scratch, "fib", {"10"}, settings);
    CHECK(recorded["create_task"] == 2 * 88);
    CHECK(recorded.outcome.out == "fib(10) = 55\n");
  }
}

TEST_CASE("a tool of the user's runs beside the learner") {
  const Scratch scratch;
  const std::string environment =
      "export OMP_NUM_THREADS=2 FORETASK_HOME=home FORETASK_PROGRESS=quiet OMP_TOOL_LIBRARIES=";
  const Outcome outcome =
      run(scratch, {cli_test::kForetask, "learn", "--", program("fib"), "10"}, environment + quoted(kTool) + ";");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out,
             ContainsSubstring("fib(10) = 55\n") && ContainsSubstring("176 tasks, 176 ended, 88 waits, 0 wrong words"));
}

TEST_CASE("a tool in the executable comes first, and that is said") {
  const Scratch scratch;
  const Outcome outcome = run_recorder(scratch, "tool_in_program");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("10 tasks, 10 ended, 0 waits, 0 wrong words"));
  CHECK_THAT(outcome.err, ContainsSubstring("tool_in_program holds an OpenMP tool of its own (ompt_start_tool)"));
  CHECK(!cli_test::fs::exists(scratch / "run"));

  Settings declined;
  declined.environment = "TOOL_IS_NOT_WANTED=1";
  CHECK(record(scratch, "tool_in_program", {}, declined)["create_task"] == 10);
}

TEST_CASE("a program that was compiled for a device is recorded on the host, and the device is named as not recorded") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "target_program");
  CHECK(recorded["create_task"] == 1);
  CHECK_THAT(recorded.outcome.err,
             ContainsSubstring("target_program has OpenMP target regions. What they run on a device"));
}

TEST_CASE("what the runtime shows of its settings is what the user has set") {
  for_each_runtime({2}, [](Settings settings) {
    const Scratch scratch;
    settings.environment += " OMP_DISPLAY_ENV=verbose";
    const std::string name = settings.runtime.is_libgomp() ? "gcc_fib" : "fib";
    const Outcome alone = run(scratch, {program(name), "5"}, assignments(settings));
    REQUIRE_THAT(alone.err, ContainsSubstring("OMP_NUM_THREADS"));
    const Outcome recorded = run_recorder(scratch, "fib", {"5"}, settings);
    CHECK(recorded.exit_code == 0);
    const std::string said = recorded.err.substr(std::min(recorded.err.find("foretask: "), recorded.err.size()));
    CHECK(recorded.err == alone.err + said);
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);  // where the recording is
  });
}

TEST_CASE("what follows omp_pause_resource_all() is recorded, or said to be lost") {
  for_each_runtime({2}, [](const Settings& settings) {
    for (const std::string after : {"0", "100"}) {
      const Scratch scratch;
      const Recorded recorded = record(scratch, "pause", {"30", after}, settings);
      CHECK(recorded.outcome.out == "begin\nend, 0\n");
      const bool is_lost = !settings.runtime.is_libgomp();
      CHECK(recorded["create_task"] == (is_lost ? 30 : 30 + std::stoi(after)));
      CHECK((recorded.outcome.err.find("shut OpenMP down before its own end") != std::string::npos) == is_lost);
    }
  });
}
