// SPDX-License-Identifier: Apache-2.0
// Tasks and taskwaits: every creation and every wait is recorded, none twice.
#include "integration/strand_graph.hpp"

using namespace record_test;

TEST_CASE("fib(20) without a cut-off: every creation and every wait is counted") {
  // A call with n >= 2 makes two tasks and waits once. There are F(n + 1) - 1 such calls: 10,945 for n = 20.
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "fib", {"20"}, settings);
    CHECK(recorded.outcome.out == "fib(20) = 6765\n");
    CHECK(recorded["workers"] == settings.threads);
    CHECK(recorded["create_task"] == 2 * 10945);
    CHECK(recorded["wait_tasks"] == 10945);
    CHECK(kernel(recorded, "fib.c", "left").count == 10945);
    CHECK(kernel(recorded, "fib.c", "right").count == 10945);
  });
}

TEST_CASE("tasks within tasks, a hundred deep, follow each other") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "recursive", {"100"}, settings);
    CHECK(recorded["create_task"] == 100);
    CHECK(recorded["wait_tasks"] == 100);
    const StrandGraph graph(scratch, recorded, "recursive.c");
    const std::vector<std::size_t> levels = graph.tasks_at("level");
    REQUIRE(levels.size() == 100);
    // Each waits for its child: the last strand of the innermost comes before that of all others.
    CHECK(graph.ends_before(levels.back(), levels.front()));
    CHECK(graph.ends_before(levels[50], levels[49]));
    CHECK_FALSE(graph.ends_before(levels[49], levels[50]));
  });
}

TEST_CASE("tasks outside of a parallel region are recorded, one after the other") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "outside", {}, settings);
    CHECK(recorded["workers"] == 1);
    CHECK(recorded["create_task"] == 10);
    CHECK(recorded["wait_tasks"] == 1);
    const StrandGraph graph(scratch, recorded, "outside.c");
    const std::vector<std::size_t> tasks = graph.tasks_at("task");
    REQUIRE(tasks.size() == 10);
    for (std::size_t i = 1; i < tasks.size(); ++i) CHECK(graph.is_before(tasks[i - 1], tasks[i]));
  });
}

TEST_CASE("tasks that the compiled code makes by a jump are of their own lines") {
  for_each_libomp({1, 2}, [](const Settings& settings) {
    for (const std::string environment : {"", "FORETASK_PROGRESS=quiet FORETASK_HOME=home"}) {
      Settings other = settings;
      other.environment = environment;
      const Scratch scratch;
      const Recorded recorded = record(scratch, "jumps_optimised", {}, other);
      CHECK(recorded.outcome.out == "4\n");
      for (const char* mark : {"region", "outer", "inner"}) CHECK(kernel(recorded, "jumps.c", mark).count == 2);
    }
  });
}
