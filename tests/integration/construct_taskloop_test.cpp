// SPDX-License-Identifier: Apache-2.0
// Taskloops: a task a chunk, named after the construct, joined at its end unless it says nogroup.
#include "integration/strand_graph.hpp"

using namespace record_test;

TEST_CASE("a taskloop is as many tasks of its own name as its clauses make") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "taskloop", {}, settings);
    CHECK(recorded["create_task"] == 7 + 5 + 3);
    CHECK(recorded["wait_tasks"] == 2);  // the groups of the first two
    REQUIRE(kernel(recorded, "taskloop.c", "seven tasks").count == 7);
    REQUIRE(kernel(recorded, "taskloop.c", "grains of twenty").count == 5);
    REQUIRE(kernel(recorded, "taskloop.c", "no group").count == 3);
    const StrandGraph graph(scratch, recorded, "taskloop.c");
    const std::vector<std::size_t> first = graph.tasks_at("seven tasks");
    const std::vector<std::size_t> second = graph.tasks_at("grains of twenty");
    CHECK(graph.are_free(first.front(), first.back()));
    for (const std::size_t task : first) CHECK(graph.is_before(task, second.front()));
  });
}

TEST_CASE("the tasks that libomp makes to split a large taskloop are counted with it") {
  // libomp halves a loop of more than ten tasks a thread, and makes a task of each second half: of 1000 iterations and
  // a limit of 10 2^7 parts of 7 or 8, so 127 tasks that split; of a limit of 20 2^6 parts, so 63.
  for_each_libomp({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "taskloop_large", {"1000"}, settings);
    const int splitting = settings.threads == 1 ? 127 : 63;
    CHECK(recorded["create_task"] == 1000 + splitting + 1);
    const StrandGraph graph(scratch, recorded, "taskloop_large.c");
    const std::vector<std::size_t> iterations = graph.tasks_at("iteration");
    REQUIRE(iterations.size() == static_cast<std::size_t>(1000 + splitting));
    for (const std::size_t task : {iterations.front(), iterations[500], iterations.back()})
      CHECK(graph.is_before(task, graph.task_at("after")));
  });
}

TEST_CASE("a taskloop that says nothing of its tasks is divided anew for other numbers of threads") {
  for_each_runtime({1}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "taskloop_even", {}, settings);
    const auto work_ns = recorded.report["kernels"][0]["work_ns"].get<double>();  // of the loop: the most
    const json answer =
        json::parse(cli_test::foretask(scratch, {"simulate", "run", "--cores", "1,2,16", "--json"}).out);
    const auto makespan_ns = [&answer](std::size_t run) { return answer["runs"][run]["makespan_ns"].get<double>(); };
    // What is beside the loop takes as long on any number of threads.
    REQUIRE(work_ns > 0);
    CHECK((makespan_ns(0) - makespan_ns(1)) / work_ns == Approx(1 - 1.0 / 2).margin(0.15));
    CHECK((makespan_ns(0) - makespan_ns(2)) / work_ns == Approx(1 - 1.0 / 16).margin(0.15));
  });
}
