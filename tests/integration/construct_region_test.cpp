// SPDX-License-Identifier: Apache-2.0
// Parallel regions: nested ones, several one after the other, large teams.
#include "integration/strand_graph.hpp"

using namespace record_test;

TEST_CASE("nested regions: the workers are those of all teams at once") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "nested", {}, settings);
    CHECK(recorded["workers"] == 2 * 3);
    CHECK(recorded["create_task"] == 2 * 3 + 2);
    CHECK(recorded["barriers"] == 2 * 3 + 2);
    CHECK(kernel(recorded, "nested.c", "outer").count == 2);
    CHECK(kernel(recorded, "nested.c", "inner").count == 6);
    CHECK(kernel(recorded, "nested.c", "leaf").count == 6);
    const StrandGraph graph(scratch, recorded, "nested.c");
    const std::vector<std::size_t> leaves = graph.tasks_at("leaf");
    REQUIRE(leaves.size() == 6);
    // An inner region ends before its thread goes on to make the outer task; the two teams are free of each other.
    for (const std::size_t task : graph.tasks_at("outer task"))
      CHECK(std::count_if(leaves.begin(), leaves.end(),
                          [&](std::size_t leaf) { return graph.is_before(leaf, task); }) == 3);
  });
}

TEST_CASE("a region's end is that of the thread's own region, though its team is another thread's by then") {
  for_each_runtime({8}, [](const Settings& base) {
    Settings settings = base;
    settings.environment = "OMP_WAIT_POLICY=passive";
    const Scratch scratch;
    const Recorded recorded = record(scratch, "pool", {"20"}, settings);
    CHECK(recorded.outcome.out == "480\n");
    CHECK(kernel(recorded, "pool.c", "outer").count == 8);
    CHECK(kernel(recorded, "pool.c", "inner").count == 480);
  });
}

TEST_CASE("regions one after the other, with teams that grow and shrink, each join before the next") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "regions", {"10"}, settings);
    // Teams of 1, 2, 3, 4, 1, 2, 3, 4, 1, 2 threads.
    CHECK(recorded["workers"] == 4);
    CHECK(recorded["create_task"] == 23);
    CHECK(kernel(recorded, "regions.c", "region").count == 23);
    const StrandGraph graph(scratch, recorded, "regions.c");
    const std::vector<std::size_t> tasks = graph.tasks_at("task");
    REQUIRE(tasks.size() == 23);
    CHECK(graph.is_before(tasks[0], tasks[1]));
    CHECK(graph.are_free(tasks[1], tasks[2]));
    for (std::size_t i : {3, 4, 5}) CHECK(graph.is_before(tasks[1], tasks[i]));
    for (std::size_t i : {6, 7, 8, 9}) CHECK(graph.is_before(tasks[5], tasks[i]));
  });
}

TEST_CASE("a team of 200 threads: every thread and every task is there") {
  for_each_runtime({200}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "team", {"5"}, settings);
    CHECK(recorded.outcome.out == "200 1000\n");
    CHECK(recorded["workers"] == 200);
    CHECK(recorded["create_task"] == 1000);
    CHECK(recorded["barriers"] == 200);
    CHECK(kernel(recorded, "team.c", "region").count == 200);
  });
}

TEST_CASE("a teams construct is a region with a thread for each team") {
  for_each_libomp({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "teams", {}, settings);
    const std::vector<std::int64_t> printed = numbers(recorded.outcome.out);
    REQUIRE(printed.size() == 2);
    // Each team begins in a region of its own, of one thread.
    CHECK(kernel(recorded, "teams.c", "teams").count == 2 * printed[0]);
    CHECK(kernel(recorded, "teams.c", "region").count == printed[1]);
    CHECK(kernel(recorded, "teams.c", "task").count == 10 * printed[0]);
  });
}

TEST_CASE("a program that asks whether it runs in parallel is told what one thread does not show") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Outcome outcome = run_recorder(scratch, "asks", {}, settings);
    REQUIRE(outcome.exit_code == 0);
    CHECK(outcome.out == "45\n");
    const std::vector<std::string> warnings = report_of(scratch, settings.folder).at("warnings");
    const bool is_said = std::ranges::any_of(
        warnings, [](const std::string& warning) { return warning.find("omp_in_parallel") != std::string::npos; });
    CHECK(is_said == (settings.threads == 1));
  });
}
