// SPDX-License-Identifier: Apache-2.0
// A taskgroup's end waits for all that its body made, children's children included; a taskwait for children only.
#include "integration/strand_graph.hpp"

using namespace record_test;

TEST_CASE("a taskgroup joins grandchildren, a taskwait does not") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "taskgroup", {}, settings);
    CHECK(recorded["create_task"] == 7);
    CHECK(recorded["wait_tasks"] == 3);  // one taskgroup, two taskwaits
    if (!names_all_tasks(settings)) return;
    const StrandGraph graph(scratch, recorded, "taskgroup.c");
    CHECK(graph.is_before("child", "after the group"));
    CHECK(graph.is_before("grandchild", "after the group"));
    CHECK(graph.are_free("before", "after the group"));  // made before the group: not in it
    CHECK(graph.is_before("before", "after the wait"));
    CHECK(graph.is_before("awaited child", "after the wait"));
    CHECK(graph.are_free("not awaited grandchild", "after the wait"));
  });
}
