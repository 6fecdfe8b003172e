// SPDX-License-Identifier: Apache-2.0
// Barriers, explicit and at the ends of worksharing constructs: what comes after one comes after all before it.
#include "integration/strand_graph.hpp"

using namespace record_test;

TEST_CASE("a barrier orders the tasks of all threads before it and after it") {
  for_each_runtime({2, 3}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "barriers", {}, settings);
    const auto threads = static_cast<std::size_t>(settings.threads);
    CHECK(recorded["create_task"] == 3 * settings.threads);
    // Of each thread: the explicit one, the loop's, the single's, the region's.
    CHECK(recorded["barriers"] == 4 * settings.threads);
    const StrandGraph graph(scratch, recorded, "barriers.c");
    const std::vector<std::size_t> first = graph.tasks_at("first phase");
    const std::vector<std::size_t> second = graph.tasks_at("second phase");
    const std::vector<std::size_t> third = graph.tasks_at("third phase");
    REQUIRE(first.size() == threads);
    REQUIRE(second.size() == threads);
    REQUIRE(third.size() == threads);
    CHECK(graph.are_free(first[0], first[1]));
    for (std::size_t i = 0; i < threads; ++i)
      for (std::size_t j = 0; j < threads; ++j) {
        CHECK(graph.is_before(first[i], second[j]));
        CHECK(graph.is_before(second[i], third[j]));
      }
  });
}

TEST_CASE("a team of one passes barriers as well") {
  for_each_runtime({1}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "barriers", {}, settings);
    CHECK(recorded["create_task"] == 3);
    const StrandGraph graph(scratch, recorded, "barriers.c");
    CHECK(graph.is_before("first phase", "second phase"));
    CHECK(graph.is_before("second phase", "third phase"));
  });
}
