// SPDX-License-Identifier: Apache-2.0
// Tasks that their parent runs at once: if(0), and tasks within final ones.
#include "integration/strand_graph.hpp"

using namespace record_test;

namespace {

void check_counts(const Recorded& recorded) {
  CHECK(recorded["create_task"] == 12);
  CHECK(kernel(recorded, "undeferred.c", "undeferred").count == 5);
  CHECK(kernel(recorded, "undeferred.c", "final").count == 1);
  CHECK(kernel(recorded, "undeferred.c", "included").count == 5);
  CHECK(kernel(recorded, "undeferred.c", "merged").count == 1);
}

}  // namespace

TEST_CASE("undeferred and included tasks are counted, and none of them is parallel to its parent") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "undeferred", {}, settings);
    check_counts(recorded);
    const std::int64_t spent = numbers(recorded.outcome.out).at(0);
    CHECK(recorded["work_ns"] >= spent);
    CHECK(recorded["span_ns"] >= spent);
    const StrandGraph graph(scratch, recorded, "undeferred.c");
    const std::vector<std::size_t> undeferred = graph.tasks_at("undeferred");
    const std::vector<std::size_t> included = graph.tasks_at("included");
    REQUIRE(undeferred.size() == 5);
    REQUIRE(included.size() == 5);
    for (std::size_t i = 1; i < 5; ++i) {
      CHECK(graph.is_before(undeferred[i - 1], undeferred[i]));
      CHECK(graph.is_before(included[i - 1], included[i]));
    }
    CHECK(graph.is_before(undeferred.back(), graph.task_at("final")));
    CHECK(graph.ends_before(graph.task_at("merged"), graph.task_at("final")));
  });
}
