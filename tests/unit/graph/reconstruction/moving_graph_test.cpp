// SPDX-License-Identifier: Apache-2.0
// Tasks that wait, and go on on another worker than they began on; and groups that another task waits for. By hand.

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::Name;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

constexpr std::uint32_t kWait = FORETASK_TASK_WAIT | FORETASK_TASK_ONE_ORDER;

std::uint64_t id_of(Name name) { return std::uint64_t{name.stream + 1} << 32 | name.number; }

// The strand of a worker that began then; its number of strands where there is none.
graph::NodeIndex strand_at(const graph::RecordedGraph& built, std::uint32_t worker, std::int64_t begin_ns) {
  graph::NodeIndex node = 0;
  while (node < built.strands.size() &&
         (built.strands.begin_ns[node] != begin_ns || built.strands.worker[node] != worker))
    ++node;
  return node;
}

bool has_edge(const graph::RecordedGraph& built, graph::NodeIndex from, graph::NodeIndex to) {
  for (std::size_t i = 0; i < built.edges.size(); ++i)
    if (built.edges.from[i] == from && built.edges.to[i] == to) return true;
  return false;
}

}  // namespace

TEST_CASE(
    "a suspended task goes on on another worker, after the task that resumes it, and its group's end comes after it") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  trace.group(0, 30);
  const Name suspended = trace.create(0, 31);
  const Name resumer = trace.create(0, 32);
  trace.group_wait(0, 40);
  trace.run(0, 41, suspended);
  const Name event = trace.create(0, 50, FORETASK_TASK_EMPTY | FORETASK_TASK_LOOSE);
  const Name wait = trace.create_after(0, 51, {{id_of(event), FORETASK_DEPENDENCE_AFTER}}, kWait);
  // Worker 0 runs the one that resumes it, and waits there for another task meanwhile.
  trace.run(0, 60, resumer);
  trace.fulfill(0, 70, event);
  trace.group(0, 71);
  const Name inner = trace.create(0, 72);
  trace.group_wait(0, 73);
  trace.run(1, 80, suspended);
  trace.event(1, 80, FORETASK_EVENT_DEPEND_WAIT_END, {wait.number, wait.stream});
  trace.end(1, 95);
  trace.run(1, 96, inner);
  trace.end(1, 98);
  trace.run(0, 99, resumer);
  trace.group_end(0, 99);
  trace.end(0, 105);
  trace.group_end(0, 110);
  trace.end_team(120);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK(built.tasks == 3);
  CHECK(contradiction(built).empty());
  const graph::NodeIndex goes_on = strand_at(built, 1, 80);
  REQUIRE(goes_on < built.strands.size());
  CHECK(built.strands.duration_ns[goes_on] == 15);
  CHECK(has_edge(built, goes_on, strand_at(built, 0, 110)));
  // What comes before it: its own first strand, and over the event the strand of the resumer that ended then.
  CHECK(has_edge(built, strand_at(built, 0, 50), goes_on));
  bool is_after_resumer = false;
  for (graph::NodeIndex node = 0; node < built.strands.size(); ++node)
    is_after_resumer =
        is_after_resumer || (has_edge(built, strand_at(built, 0, 60), node) && has_edge(built, node, goes_on));
  CHECK(is_after_resumer);
}

TEST_CASE("a task that waits in a group goes on where its stack was taken to") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  trace.group(0, 30);
  const Name waiting = trace.create(0, 31);
  trace.group_wait(0, 40);
  trace.run(0, 41, waiting);
  trace.group(0, 42);
  const Name child = trace.create(0, 43);
  trace.group_wait(0, 44);
  trace.run(1, 45, child);
  trace.end(1, 55);
  trace.run(1, 60, waiting);
  trace.group_end(1, 60);
  trace.end(1, 70);
  trace.group_end(0, 75);
  trace.end_team(80);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
  const graph::NodeIndex goes_on = strand_at(built, 1, 60);
  REQUIRE(goes_on < built.strands.size());
  CHECK(has_edge(built, strand_at(built, 1, 45), goes_on));
  CHECK(has_edge(built, goes_on, strand_at(built, 0, 75)));
}

TEST_CASE("a task that waits for another one's group comes after the group's tasks, also when that one is over") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  trace.group(0, 30);
  const Name owner = trace.create(0, 31);
  const Name waiter = trace.create(0, 32);
  trace.group_wait(0, 40);
  trace.run(0, 41, owner);
  trace.group(0, 42);
  const Name member = trace.create(0, 43);
  trace.end(0, 45);
  trace.run(0, 50, waiter);
  trace.run(1, 50, member);
  trace.end(1, 60);
  const Name wait = trace.create_after(0, 65, {{id_of(owner), FORETASK_DEPENDENCE_GROUP}}, kWait);
  trace.event(0, 65, FORETASK_EVENT_DEPEND_WAIT_END, {wait.number, wait.stream});
  trace.end(0, 70);
  trace.group_end(0, 75);
  trace.end_team(80);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
  CHECK(has_edge(built, strand_at(built, 1, 50), strand_at(built, 0, 65)));
}

TEST_CASE("several tasks may wait for one group") {
  TraceBuilder trace(2);
  const Name owner = trace.begin_team(2).front();
  trace.barrier(1, 20);
  trace.group(0, 30);
  const Name member = trace.create(0, 31);
  const Name waiter = trace.create(0, 32);
  trace.group_wait(0, 40);
  trace.run(0, 41, member);
  trace.run(1, 41, waiter);
  trace.end(0, 50);
  SECTION("the owner still waits for it, too") {
    const Name wait = trace.create_after(1, 60, {{id_of(owner), FORETASK_DEPENDENCE_GROUP}}, kWait);
    trace.event(1, 60, FORETASK_EVENT_DEPEND_WAIT_END, {wait.number, wait.stream});
    trace.end(1, 70);
    trace.group_end(0, 75);
    const auto built = trace.build();
    CHECK(built.anomalies == 0);
    CHECK(has_edge(built, strand_at(built, 0, 41), strand_at(built, 1, 60)));
  }
  SECTION("the owner's wait is over") {
    trace.end(1, 55);
    trace.group_end(0, 60);
    const Name wait = trace.create_after(0, 65, {{id_of(owner), FORETASK_DEPENDENCE_GROUP}}, kWait);
    trace.event(0, 65, FORETASK_EVENT_DEPEND_WAIT_END, {wait.number, wait.stream});
    const auto built = trace.build();
    CHECK(built.anomalies == 0);
  }
}
