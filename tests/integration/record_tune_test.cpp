// SPDX-License-Identifier: Apache-2.0
// Programs that nobody changed, whose tasks foretask tune runs at once: what they print and how they end stays.
#include <algorithm>
#include <fstream>
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

std::string program_of(const Settings& settings) { return settings.runtime.is_libgomp() ? "gcc_tunes" : "tunes"; }

Outcome run_alone(const Scratch& scratch, const Settings& settings, const std::vector<std::string>& arguments,
                  std::vector<std::string> words = {}) {
  words.insert(words.begin(), {"timeout", "-k", "5", "120"});
  words.push_back(program(program_of(settings)));
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run(scratch, words, assignments(settings));
}

Tuned tune(const Scratch& scratch, const Settings& settings, const std::vector<std::string>& arguments,
           const std::vector<std::string>& options = {}) {
  std::vector<std::string> words{"env", "FORETASK_HOME=home", cli_test::kForetask, "tune", "--json", "decisions.json"};
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
    const Tuned yielding = tune(scratch, settings, {"yielding", "1000"});
    CHECK(yielding.outcome.out == "1000\n");
    CHECK(figure(yielding, "kinds_left_alone") == 1);
    const Tuned ordered = tune(scratch, settings, {"ordered", "2000"});
    CHECK(ordered.outcome.out == run_alone(scratch, settings, {"ordered", "2000"}).out);
  }
}

TEST_CASE("tasks with dependences are run at once where none is open that they might come after") {
  for (const Runtime& runtime : runtimes()) {
    for (const int threads : {1, 2}) {
      const Scratch scratch;
      const Tuned tuned = tune(scratch, {.threads = threads, .runtime = runtime}, {"waited", "3000"});
      CAPTURE(runtime.name, threads, tuned.outcome.err);
      CHECK(tuned.outcome.out == "4498500\n");
      CHECK(figure(tuned, "run_at_once") > 100);
    }
  }
}

TEST_CASE("the second run takes up first what the longest chain comes after, and forgets it when told") {
  for (const Runtime& runtime : runtimes()) {
    const Scratch scratch;
    const Settings settings{.threads = 2, .runtime = runtime};
    CAPTURE(runtime.name);
    CHECK(run_alone(scratch, settings, {"graph"}).out == "0\n");
    const Tuned first = tune(scratch, settings, {"graph"});
    CHECK(first.outcome.out == "0\n");
    CHECK(figure(first, "tasks_ordered") == 0);
    const Tuned second = tune(scratch, settings, {"graph"});
    CHECK(figure(second, "tasks_ordered") == (runtime.is_libgomp() ? 91 : 0));
    CHECK(second.outcome.out == (runtime.is_libgomp() ? "1\n" : "0\n"));
    const Tuned dry = tune(scratch, settings, {"graph"}, {"--dry-run"});
    CHECK(dry.outcome.out == "0\n");
    CHECK(figure(dry, "tasks_ordered") == figure(second, "tasks_ordered"));
    CHECK(cli_test::foretask(scratch, {"tune", "--forget", "--", "/any/" + program_of(settings)},
                             "export FORETASK_HOME=home;")
              .exit_code == 0);
    CHECK(figure(tune(scratch, settings, {"graph"}), "tasks_ordered") == 0);
  }
}

TEST_CASE("priorities that a program sets within tasks mean as little as without foretask") {
  for (const Runtime& runtime : runtimes()) {
    for (int i = 0; i < 5; ++i) {
      const Scratch scratch;
      const Tuned tuned = tune(scratch, {.threads = 4, .runtime = runtime}, {"priorities", "4"});
      CAPTURE(runtime.name, tuned.outcome.err);
      // 5 for each of 4 + 16 + ... + 4^5.
      CHECK(tuned.outcome.out == "6820\n");
      CHECK(tuned.outcome.exit_code == 3);
    }
  }
}

TEST_CASE("a loop that leaves its schedule to the runtime gets one that takes less, unless the user says one") {
  for (const Runtime& runtime : runtimes()) {
    const Scratch scratch;
    Settings settings{.threads = 2, .runtime = runtime};
    CAPTURE(runtime.name);
    const Tuned tuned = tune(scratch, settings, {"loops", "300"});
    CHECK(tuned.outcome.out == "60146850000\n");
    CHECK(figure(tuned, "regions") == 1);
    // GCC's own choice hands out iteration by iteration: here some twenty times as long.
    if (runtime.is_libgomp()) CHECK(figure(tuned, "regions_changed") == 1);
    CHECK(tune(scratch, settings, {"arguments", "50"}).outcome.out ==
          run_alone(scratch, settings, {"arguments", "50"}).out);
    CHECK(tune(scratch, settings, {"loops", "20"}, {"--region-threads"}).outcome.out == "4009790000\n");
    CHECK(tune(scratch, settings, {"loops", "20", "fewer"}).outcome.out == "0\n");
    CHECK(figure(tune(scratch, settings, {"loops", "20"}, {"--dry-run"}), "regions") == 0);
    settings.environment = "OMP_SCHEDULE=static";
    const Tuned said = tune(scratch, settings, {"loops", "20"});
    CHECK(said.outcome.out == "4009790000\n");
    CHECK(figure(said, "regions") == 0);
  }
}

TEST_CASE("a taskloop of LLVM's programs that does not say how many tasks there are to be gets as many as take least") {
  for (const Runtime& runtime : runtimes()) {
    for (const int threads : {1, 2, 4}) {
      const Scratch scratch;
      const Tuned tuned = tune(scratch, {.threads = threads, .runtime = runtime}, {"taskloops", "500"});
      CAPTURE(runtime.name, threads, tuned.outcome.err);
      // 4950 and 12 each.
      CHECK(tuned.outcome.out == "2481000\n");
      CHECK(figure(tuned, "regions") == (runtime.is_libgomp() ? 0 : 3));
    }
  }
}

TEST_CASE("where loops are tried otherwise, what the program may count on holds") {
  for (const Runtime& runtime : runtimes()) {
    const Scratch scratch;
    const Settings settings{.threads = 4, .runtime = runtime};
    CAPTURE(runtime.name);
    for (int i = 0; i < 2; ++i) {
      const Tuned same = tune(scratch, settings, {"same", "300"});
      CHECK(same.outcome.out == "0\n");
      CHECK(figure(same, "regions_changed") == 0);
      CHECK(tune(scratch, settings, {"huge", "100"}).outcome.out == "8000\n");
    }
  }
}

TEST_CASE("a task that comes after one of which nothing is known is not run at once") {
  for (const Runtime& runtime : runtimes()) {
    for (const int threads : {2, 4}) {
      const Scratch scratch;
      const Tuned tuned = tune(scratch, {.threads = threads, .runtime = runtime}, {"detached", "500"});
      CAPTURE(runtime.name, threads, tuned.outcome.err);
      CHECK(tuned.outcome.out == "1000\n");
    }
  }
}

TEST_CASE("with --region-threads a region that is slower on all threads gets fewer") {
  for (const Runtime& runtime : runtimes()) {
    const Scratch scratch;
    // More threads than there are cores wait for each other at each loop's end.
    const Settings settings{.threads = 16, .runtime = runtime};
    const Tuned tuned = tune(scratch, settings, {"loops", "300", "fewer"}, {"--region-threads"});
    CAPTURE(runtime.name, tuned.outcome.err);
    CHECK(tuned.outcome.out == "1\n");
  }
}

TEST_CASE("in a control group with the time of one core the program has one thread, unless the user says more") {
  // Of version 1 or 2, where this process may make one.
  const Runtime runtime = runtimes().front();
  const Scratch scratch;
  const std::string enter =
      "for base in /sys/fs/cgroup/cpu /sys/fs/cgroup; do group=$base/foretask-test-$$; mkdir $group 2>/dev/null || "
      "continue; if { echo 100000 > $group/cpu.cfs_quota_us || echo 100000 100000 > $group/cpu.max; } 2>/dev/null && "
      "echo $$ > $group/cgroup.procs; then entered=1; break; fi; rmdir $group; done; "
      "[ -n \"$entered\" ] || { echo none; exit 0; }; ";
  const std::string leave = "; echo $$ > $base/cgroup.procs; rmdir $group";
  const std::string program_words = quoted(program(program_of({.runtime = runtime}))) + " threads";
  const auto threads = [&](const std::string& words) {
    const std::string folder = runtime.folder.empty() ? "" : "export LD_LIBRARY_PATH=" + quoted(runtime.folder) + "; ";
    return run(scratch, {"sh", "-c", folder + enter + words + program_words + leave}, "unset OMP_NUM_THREADS;").out;
  };
  const std::string tune_words = quoted(cli_test::kForetask) + " tune -- ";
  const std::string alone = threads("");
  if (alone == "none\n" || alone == "1\n") {
    WARN("no control group can be made here, or there is one processor");
    return;
  }
  CHECK(threads(tune_words) == "1\n");
  CHECK(threads("OMP_NUM_THREADS=3 " + tune_words) == "3\n");
}

TEST_CASE("a store that is damaged is set aside, and programs that tune at once keep what both have found") {
  const Runtime runtime = runtimes().front();
  const Scratch scratch;
  const Settings settings{.threads = 2, .runtime = runtime};
  const Tuned first = tune(scratch, settings, {"fib", "18"});
  std::string path;
  for (const auto& entry : cli_test::fs::recursive_directory_iterator(scratch / "home/tuned"))
    if (entry.path().extension() == ".json") path = entry.path().string();
  REQUIRE(!path.empty());
  CHECK(json::parse(cli_test::contents(path)).at("places").size() == 2);
  std::ofstream(path) << "{\"foretask_tuned\": 1, \"places\": [{}";
  const Tuned second = tune(scratch, settings, {"fib", "18"});
  CHECK(second.outcome.out == "2584\n");
  CHECK_THAT(second.outcome.err, ContainsSubstring("it is no JSON"));
  const std::string both = quoted(cli_test::kForetask) + " tune -- " + quoted(program(program_of(settings)));
  run(scratch, {"sh", "-c", both + " fib 18 & " + both + " untied 18; wait"},
      "export FORETASK_HOME=home;" + assignments(settings));
  CHECK(json::parse(cli_test::contents(path)).at("places").size() == 4);
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
    // LLVM's runtime of version 16 fails where a child exits, alone as well.
    if (!runtime.is_libgomp()) continue;
    const Outcome forked = tune(scratch, settings, {"fork", "18"}).outcome;
    CHECK(forked.out == "2584\n");
    CHECK(forked.exit_code == 4);
    // Once, of the process that was started.
    CHECK(forked.err.find("tune: ran") == forked.err.rfind("tune: ran"));
    CHECK_THAT(forked.err, ContainsSubstring("tune: ran"));
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
    const Settings settings{
        .threads = 2, .runtime = runtime, .environment = "FORETASK_HOME=home", .options = {"--tune"}, .exit_code = 3};
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
