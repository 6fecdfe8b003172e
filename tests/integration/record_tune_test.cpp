// SPDX-License-Identifier: Apache-2.0
// Programs that nobody changed, whose tasks foretask tune runs at once: what they print and how they end stays.
#include <algorithm>
#include <string>
#include <vector>

#include "recorded.hpp"

namespace {

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

struct Tuned {
  Outcome outcome;
  json decisions;
};

Outcome run_alone(const Scratch& scratch, const Settings& settings, const std::vector<std::string>& arguments,
                  std::vector<std::string> words = {}) {
  words.insert(words.begin(), {"timeout", "-k", "5", "120"});
  words.push_back(program(settings.runtime.is_libgomp() ? "gcc_tunes" : "tunes"));
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run(scratch, words, assignments(settings));
}

Tuned tune(const Scratch& scratch, const Settings& settings, const std::vector<std::string>& arguments,
           const std::vector<std::string>& options = {}) {
  std::vector<std::string> words{cli_test::kForetask, "tune", "--json", "decisions.json"};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  Tuned tuned{run_alone(scratch, settings, arguments, words), {}};
  INFO(tuned.outcome.err);
  if (cli_test::fs::exists(scratch / "decisions.json"))
    tuned.decisions = json::parse(cli_test::contents(scratch / "decisions.json"));
  return tuned;
}

std::int64_t figure(const Tuned& tuned, const char* name) { return tuned.decisions.at(name); }

}  // namespace

TEST_CASE("small tasks are run at once, and the program prints what it prints alone") {
  for (const Runtime& runtime : runtimes()) {
    for (const int threads : {1, 2, 4}) {
      for (const char* kind : {"fib", "untied", "final"}) {
        const Scratch scratch;
        const Settings settings{.threads = threads, .runtime = runtime};
        const Tuned tuned = tune(scratch, settings, {kind, "22"});
        CAPTURE(runtime.name, threads, kind, tuned.outcome.err);
        CHECK(tuned.outcome.out == "17711\n");
        CHECK(tuned.outcome.exit_code == 3);
        CHECK_THAT(tuned.outcome.err, ContainsSubstring("foretask: tune: ran "));
        // Two tasks for each call that makes any: 2 (F(23) - 1). Final ones make none that are seen.
        const std::int64_t all = 57312;
        if (std::string(kind) != "final") {
          CHECK(figure(tuned, "tasks") <= all);
          CHECK(figure(tuned, "tasks") >= all - 400);
          // Where threads wait for a core it may be found not to pay.
          CHECK(figure(tuned, "run_at_once") >= (threads == 1 ? all / 2 : all / 50));
        }
        CHECK(figure(tuned, "kinds") == 2);
      }
    }
  }
}

TEST_CASE("a dry run decides and changes nothing") {
  for (const Runtime& runtime : runtimes()) {
    const Scratch scratch;
    const Settings settings{.threads = 2, .runtime = runtime};
    const Tuned tuned = tune(scratch, settings, {"fib", "20"}, {"--dry-run"});
    CAPTURE(runtime.name, tuned.outcome.err);
    CHECK(tuned.outcome.out == "6765\n");
    CHECK(tuned.decisions.at("dry_run") == true);
    CHECK_THAT(tuned.outcome.err, ContainsSubstring("would have run "));
    CHECK(figure(tuned, "run_at_once") > 100);
  }
}

TEST_CASE("tasks that block are left to the runtime, and those of other kinds that could not be run at once") {
  for (const Runtime& runtime : runtimes()) {
    const Settings settings{.threads = 4, .runtime = runtime};
    CAPTURE(runtime.name);
    const Scratch scratch;
    const Tuned sleeping = tune(scratch, settings, {"sleeping", "400"});
    CHECK(sleeping.outcome.out == "400\n");
    CHECK(figure(sleeping, "run_at_once") == 0);
    CHECK(figure(sleeping, "kinds_left_alone") == 1);
    const Tuned ordered = tune(scratch, settings, {"ordered", "2000"});
    CHECK(ordered.outcome.out == run_alone(scratch, settings, {"ordered", "2000"}).out);
    CHECK(figure(ordered, "run_at_once") == 0);
  }
}

TEST_CASE("a task that wants what its creator holds is not run at once") {
  for (const Runtime& runtime : runtimes()) {
    for (const char* kind : {"locked", "critical", "mutex"}) {
      const Scratch scratch;
      const Settings settings{.threads = 2, .runtime = runtime};
      const Tuned tuned = tune(scratch, settings, {kind, "3000"});
      CAPTURE(runtime.name, kind, tuned.outcome.err);
      CHECK(tuned.outcome.out == "3000\n");
      CHECK(figure(tuned, "run_at_once") == 0);
    }
  }
}

TEST_CASE("tasks within tasks are as deep as the stack allows, and no deeper") {
  for (const Runtime& runtime : runtimes()) {
    for (const char* stack : {"OMP_STACKSIZE=64K", "OMP_STACKSIZE=8M"}) {
      const Scratch scratch;
      const Settings settings{.threads = 2, .runtime = runtime, .environment = stack};
      const Tuned tuned = tune(scratch, settings, {"chain", "200000"});
      CAPTURE(runtime.name, stack, tuned.outcome.err);
      CHECK(tuned.outcome.out == "200000\n");
      CHECK(tuned.outcome.exit_code == 3);
    }
  }
}

TEST_CASE("regions within tasks, and an exit within one, are as they are alone") {
  for (const Runtime& runtime : runtimes()) {
    const Scratch scratch;
    const Settings settings{.threads = 2, .runtime = runtime};
    CAPTURE(runtime.name);
    CHECK(tune(scratch, settings, {"nested", "300"}).outcome.out == "300\n");
    CHECK(tune(scratch, settings, {"device", "50"}).outcome.out == "50\n");
    CHECK(tune(scratch, settings, {"exit", "500"}).outcome.exit_code == 7);
  }
}

TEST_CASE("where the program may cancel, and where it makes no task, that is said") {
  for (const Runtime& runtime : runtimes()) {
    const Scratch scratch;
    Settings settings{.threads = 2, .runtime = runtime, .environment = "OMP_CANCELLATION=true"};
    const Tuned tuned = tune(scratch, settings, {"fib", "15"});
    CAPTURE(runtime.name, tuned.outcome.err);
    CHECK(tuned.outcome.out == "610\n");
    CHECK_THAT(tuned.outcome.err, ContainsSubstring("no task was decided on"));
  }
}

TEST_CASE("off, the library that is there decides nothing") {
  for (const Runtime& runtime : runtimes()) {
    const Scratch scratch;
    Settings settings{.threads = 2, .runtime = runtime};
    settings.environment =
        "FORETASK=off LD_PRELOAD=" + quoted(std::string(FORETASK_BIN_DIR) + "/../lib/libforetask_tune.so");
    const Outcome outcome = run_alone(scratch, settings, {"fib", "15"});
    CHECK(outcome.out == "610\n");
    CHECK(outcome.err.empty());
  }
}

TEST_CASE("a program that is not there, and one without tasks") {
  const Scratch scratch;
  CHECK(cli_test::foretask(scratch, {"tune"}).exit_code == 2);
  CHECK(cli_test::foretask(scratch, {"tune", "--", "/nowhere/program"}).exit_code == 127);
  const Outcome plain = cli_test::foretask(scratch, {"tune", "--", "/bin/sh", "-c", "exit 5"});
  CHECK(plain.exit_code == 5);
}

TEST_CASE("a tuned run is recorded with all of its tasks, under the program's own names, and says what was decided") {
  for (const Runtime& runtime : runtimes()) {
    const Scratch scratch;
    const Settings settings{.threads = 2, .runtime = runtime, .options = {"--tune"}, .exit_code = 3};
    const Outcome outcome = run_recorder(scratch, "tunes", {"fib", "22"}, settings);
    CAPTURE(runtime.name, outcome.err);
    CHECK(outcome.out == "17711\n");
    CHECK(outcome.exit_code == 3);
    const json report = report_of(scratch, scratch / "run");
    CHECK(report.at("tasks") == 57312);
    std::int64_t in_fib = 0;
    for (const json& kernel : report.at("kernels"))
      if (kernel.at("name").get<std::string>().starts_with("fib (tunes.c:")) in_fib += kernel.at("count").get<int>();
    CHECK(in_fib == 57312);
    std::int64_t decided = 0;
    for (const json& one : report.at("granularity")) {
      CHECK(one.at("name").get<std::string>().starts_with("fib (tunes.c:"));
      decided += one.at("tasks").get<std::int64_t>() + one.at("calls").get<std::int64_t>();
    }
    CHECK(decided > 57312 / 50);
  }
}
