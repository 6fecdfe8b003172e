// SPDX-License-Identifier: Apache-2.0
// What programs do to their process: fork, load OpenMP late, change their directory, close their files.
#include "integration/own_runtimes.hpp"

using namespace record_test;

TEST_CASE("a forked child runs its own region unrecorded, the parent's recording goes on") {
  // GCC's runtime hangs in such a child, recorded or not.
  for_each_libomp({2}, [](const Settings& base) {
    const Scratch scratch;
    Settings settings = base;
    settings.exit_code = 3;
    const Recorded recorded = record(scratch, "forks", {"run"}, settings);
    CHECK(recorded.outcome.out == "before 10\nchild 25\nafter 10\n");
    CHECK(recorded["create_task"] == 20);
  });
}

TEST_CASE("a forked child that leaves at once takes nothing along") {
  for_each_own_runtime({2}, [](const Settings& base) {
    const Scratch scratch;
    Settings settings = base;
    settings.exit_code = 3;
    const Recorded recorded = record(scratch, "forks", {"leave"}, settings);
    CHECK(recorded.outcome.out == "before 10\nafter 10\n");
    CHECK(recorded["create_task"] == 20);
  });
}

TEST_CASE("an OpenMP program that a recorded one starts is its own affair") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "forks", {"exec", program("fib")});
  CHECK(recorded.outcome.out == "before 10\nfib(20) = 6765\nafter 10\n");
  CHECK(recorded["create_task"] == 20);
}

TEST_CASE("a library that brings OpenMP late is recorded, with its names") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "loads_late", {program("late_library.so")}, settings);
    CHECK(recorded.outcome.out == "before\n100 done\n");
    CHECK(recorded["create_task"] == 100);
    CHECK(kernel(recorded, "late_library.c", "task").count == 100);
  });
}

TEST_CASE("OpenMP used by threads of the program's own, one after the other, is recorded to the end") {
  for_each_runtime({1}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "helpers", {"20", "3"}, settings);
    CHECK(recorded.outcome.out == "63\n");
    CHECK(recorded["create_task"] == 63);
    CHECK(recorded["workers"] == 1);
    if (names_all_tasks(settings)) CHECK(kernel(recorded, "helpers.c", "task").count == 63);
    // One after the other: on no number of cores may a later thread's tasks overlap an earlier one's.
    const Outcome outcome = cli_test::foretask(scratch, {"simulate", recorded.folder, "--cores", "64", "--json"});
    const json replay = json::parse(outcome.out);
    CHECK(replay.at("runs")[0].at("makespan_ns").get<std::int64_t>() >= 21 * 190'000);
  });
}

TEST_CASE("a program that changes its directory is recorded where foretask was started") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "moves", {"/"});
  CHECK(recorded["create_task"] == 10);
  // Without --out the folder has a name of its own.
  const Scratch other;
  const Outcome outcome =
      cli_test::foretask(other, {"record", "--", program("moves"), "/"}, "export OMP_NUM_THREADS=2;");
  CHECK(outcome.out == "10 done\n");
  int folders = 0;
  for (const auto& entry : cli_test::fs::directory_iterator(other.path()))
    if (entry.is_directory() && entry.path().filename().string().rfind("foretask-moves-", 0) == 0) ++folders;
  CHECK(folders == 1);
}

TEST_CASE("a program that closes every file keeps its own, and its recording is whole") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    // Enough tasks for several packets after the files were closed.
    const Recorded recorded = record(scratch, "closes", {"40000"}, settings);
    CHECK(recorded.outcome.out == "40000 40000\n");
    CHECK(recorded["create_task"] == 80000);
    for (int i = 0; i < 16; ++i)
      CHECK(contents(scratch / ("own_" + std::to_string(i))) == "mine " + std::to_string(i) + "\n");
  });
}
