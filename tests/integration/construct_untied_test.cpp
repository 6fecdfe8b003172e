// SPDX-License-Identifier: Apache-2.0
// Untied tasks, which may go on elsewhere than they began, and yielding ones.
#include "integration/strand_graph.hpp"

using namespace record_test;

TEST_CASE("untied tasks that yield and wait are each counted once") {
  for_each_runtime({1, 2, 4}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "untied", {"100"}, settings);
    CHECK(recorded["create_task"] == 200);
    CHECK(recorded["wait_tasks"] == 100);
    CHECK(kernel(recorded, "untied.c", "parent").count == 100);
    CHECK(kernel(recorded, "untied.c", "child").count == 100);
    const StrandGraph graph(scratch, recorded, "untied.c");
    const std::vector<std::size_t> parents = graph.tasks_at("parent");
    const std::vector<std::size_t> children = graph.tasks_at("child");
    REQUIRE(children.size() == 100);
    REQUIRE(parents.size() == 100);
    // Each is waited for by its parent, and by no other.
    for (const std::size_t child : {children.front(), children[50], children.back()})
      CHECK(std::count_if(parents.begin(), parents.end(),
                          [&](std::size_t parent) { return graph.ends_before(child, parent); }) == 1);
  });
}

TEST_CASE("tasks that yield in their middle are each counted once") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "taskyield", {"500"}, settings);
    CHECK(recorded["create_task"] == 500);
    CHECK(kernel(recorded, "taskyield.c", "task").count == 500);
  });
}
