// SPDX-License-Identifier: Apache-2.0
// Programs that end in other ways than by returning from main: the exit code is theirs, and all that they did before
// their end is in the recording.
#include "integration/own_runtimes.hpp"

using namespace record_test;

namespace {

struct Ending {
  std::string how;
  int exit_code;
  int signal;
};

// 1000 tasks and the taskwait for them, and the task that ends the program.
void check_what_was_done(const Recorded& recorded) {
  CHECK(recorded.outcome.out == "1000 done\n");
  CHECK(recorded["create_task"] == 1001);
  CHECK(recorded["wait_tasks"] == 1);
  CHECK(kernel(recorded, "ends.c", "task").count == 1000);
  CHECK(kernel(recorded, "ends.c", "last").count == 1);
}

}  // namespace

TEST_CASE("a program that returns from main keeps its exit code") {
  const Scratch scratch;
  Settings settings;
  settings.exit_code = 7;
  check_what_was_done(record(scratch, "ends", {"return", "1000"}, settings));
}

TEST_CASE("a program whose first thread ends before the others ends with the last of them") {
  for_each_own_runtime({1}, [](const Settings& base) {
    const Scratch scratch;
    Settings settings = base;
    settings.environment = "FORETASK_PROGRESS=quiet";
    const Recorded recorded = record(scratch, "ends", {"first_thread", "1000"}, settings);
    CHECK(recorded.outcome.out == "1000 done\n1000 done\n");
    CHECK(recorded["create_task"] == 2 * 1001);
    CHECK(kernel(recorded, "ends.c", "task").count == 2000);
    const Outcome learned = cli_test::foretask(scratch, {"learn", "--", own_program("ends", settings), "first_thread"},
                                               "export OMP_NUM_THREADS=1 FORETASK_HOME=store;");
    CHECK(learned.exit_code == 0);
    CHECK(learned.out == recorded.outcome.out);
  });
}

TEST_CASE("a program that ends within a task keeps its exit code or signal, and its recording all before") {
  const std::vector<Ending> endings{{"exit", 7, 0},
                                    {"_exit", 7, 0},
                                    {"abort", 128 + SIGABRT, SIGABRT},
                                    {"segv", 128 + SIGSEGV, SIGSEGV},
                                    {"kill", 128 + SIGKILL, SIGKILL},
                                    {"term", 128 + SIGTERM, SIGTERM}};
  for_each_runtime({1, 2}, [&](const Settings& base) {
    for (const Ending& ending : endings) {
      INFO(ending.how);
      const Scratch scratch;
      Settings settings = base;
      settings.exit_code = ending.exit_code;
      // The recorder sees exit(), and nothing of a process that is gone at once.
      settings.warnings = {
          "did not end in order (the program was killed, or ended by _exit(), exec(), or exit() in several threads at "
          "once)",
          kUnfinished};
      if (ending.how == "exit") settings.warnings = {kUnfinished};
      const Recorded recorded = record(scratch, "ends", {ending.how, "1000"}, settings);
      CHECK(recorded.outcome.signal == ending.signal);
      check_what_was_done(recorded);
    }
  });
}

TEST_CASE("a program in which several threads call exit() is said to have called it") {
  for_each_runtime({2}, [](const Settings& base) {
    const Scratch scratch;
    Settings settings = base;
    settings.exit_code = 7;
    settings.warnings = {"did not end in order (the program called exit(), which did not come to its end"};
#if __GLIBC_PREREQ(2, 41)
    // Only the first call of exit() ends the program.
    settings.warnings.clear();
#endif
    const Recorded recorded = record(scratch, "ends", {"exit_all", "1000"}, settings);
    CHECK(recorded["create_task"] == 1001);
  });
}

TEST_CASE("a signal from outside reaches the program, and its recording is all before") {
  for_each_own_runtime({2}, [](const Settings& settings) {
    for (const auto& [name, number] : std::vector<std::pair<std::string, int>>{{"KILL", SIGKILL}, {"TERM", SIGTERM}}) {
      // To foretask itself, which passes it on; SIGKILL cannot be passed on, and goes to the program.
      const bool to_program = number == SIGKILL;
      const Scratch scratch;
      const std::string script = "export OMP_NUM_THREADS=2; " + quoted(cli_test::kForetask) + " record --out run -- " +
                                 quoted(own_program("ends", settings)) +
                                 " wait 1000 & recorder=$!; until [ -e ready ]; do sleep 0.02; done; kill -" + name +
                                 " " + (to_program ? "$(cat ready)" : "$recorder") + "; wait $recorder; echo $? >code";
      const Outcome outcome = run(scratch, {"timeout", "-k", "5", "120", "sh", "-c", script});
      INFO(name << ": " << outcome.err);
      CHECK(contents(scratch / "code") == std::to_string(128 + number) + "\n");
      Recorded recorded;
      recorded.outcome = outcome;
      recorded.folder = scratch / "run";
      recorded.report = report_of(scratch, recorded.folder);
      check_figures(recorded.report, {kNoOrderlyEnd, kUnfinished});
      check_by_referee(recorded, false);
      check_what_was_done(recorded);
    }
  });
}
