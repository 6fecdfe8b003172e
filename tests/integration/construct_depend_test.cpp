// SPDX-License-Identifier: Apache-2.0
// Dependences: what the clauses order is ordered in the graph, and what they do not is free.
#include "integration/strand_graph.hpp"

using namespace record_test;

TEST_CASE("dependences of every kind order the tasks they name, and no others") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "depend", {}, settings);
    CHECK(recorded["create_task"] == 23);
    CHECK(recorded["wait_tasks"] == 0);
    const StrandGraph graph(scratch, recorded, "depend.c");

    CHECK(graph.is_before("first writer", "reader 1"));
    CHECK(graph.is_before("first writer", "reader 2"));
    CHECK(graph.are_free("reader 1", "reader 2"));
    CHECK(graph.is_before("reader 1", "updater"));
    CHECK(graph.is_before("reader 2", "updater"));
    CHECK(graph.is_before("updater", "exclusive 1"));
    CHECK(graph.is_before("updater", "exclusive 2"));
    // In either order, but never at once.
    CHECK_FALSE(graph.are_free("exclusive 1", "exclusive 2"));
    CHECK(graph.is_before("exclusive 1", "reader 3"));
    CHECK(graph.is_before("exclusive 2", "reader 3"));
    CHECK(graph.is_before("reader 3", "last writer"));

    CHECK(graph.are_free("writer elsewhere", "first writer"));
    CHECK(graph.are_free("writer elsewhere", "last writer"));
    CHECK(graph.is_before("writer elsewhere", "reader of both"));
    CHECK(graph.is_before("last writer", "reader of both"));

    // Dependences hold between siblings only.
    CHECK(graph.are_free("cousin", "first writer"));
    CHECK(graph.are_free("cousin", "last writer"));

    const std::vector<std::size_t> writers = graph.tasks_at("writer of many");
    REQUIRE(writers.size() == 9);
    for (const std::size_t writer : writers) {
      CHECK(graph.is_before(writer, graph.task_at("gather")));
      CHECK(graph.is_before(writer, graph.task_at("gather by iterator")));
      CHECK(graph.are_free(writer, graph.task_at("updater")));
    }
    CHECK(graph.are_free(writers[0], writers[8]));
    CHECK(graph.are_free("gather", "gather by iterator"));
  });
}

TEST_CASE("the tasks of an inoutset are free of each other, and ordered against all else") {
  for_each_libomp({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "inoutset", {}, settings);
    CHECK(recorded["create_task"] == 5);
    const StrandGraph graph(scratch, recorded, "inoutset.c");
    CHECK(graph.is_before("writer", "member 1"));
    CHECK(graph.is_before("writer", "member 2"));
    CHECK(graph.are_free("member 1", "member 2"));
    CHECK(graph.is_before("member 1", "reader"));
    CHECK(graph.is_before("member 2", "reader"));
    CHECK(graph.is_before("reader", "member of the next set"));
  });
}

TEST_CASE("a taskwait with dependences waits for the tasks it names only") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "depend_wait", {}, settings);
    CHECK(recorded["create_task"] == 3);
    CHECK(recorded["wait_tasks"] == 1);
    if (!names_all_tasks(settings)) return;
    const StrandGraph graph(scratch, recorded, "depend_wait.c");
    CHECK(graph.is_before("awaited", "after"));
    CHECK(graph.are_free("not awaited", "after"));
    CHECK(graph.are_free("not awaited", "awaited"));
  });
}
