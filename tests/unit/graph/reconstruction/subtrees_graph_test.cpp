// SPDX-License-Identifier: Apache-2.0
// Tasks whose subtree is one event, counted by hand.
#include <algorithm>

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::Name;
using foretask::test::strands_of;
using foretask::test::TraceBuilder;
namespace trace = foretask::trace;

namespace {

using Lines = std::vector<std::string>;

constexpr std::uint32_t kCode = 0x1000;
constexpr std::uint32_t kOtherCode = 0x2000;

// A task from 100 to 1000, of which 800 is its own and its five tasks', 90 between these, and 10 foretask's.
TraceBuilder one_subtree(std::uint32_t counted = 0) {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name root = trace.create(0, 50);
  trace.wait(0, 60);
  trace.run(0, 100, root);
  trace.event(0, 1000, FORETASK_EVENT_SUBTREE,
              {400, 90, 10, 2, 0, counted, 2, kCode, 0, 3, 200, kOtherCode, 0, 2, 100});
  trace.end(0, 1000);
  trace.wait_end(0, 1010);
  trace.end_team(1100);
  return trace;
}

}  // namespace

TEST_CASE("a subtree's tasks are counted, and its root is a task of the whole work") {
  const auto built = one_subtree().build();
  CHECK(built.tasks == 6);
  CHECK(built.contracted_tasks == 5);
  CHECK(built.create_task == 6);
  CHECK(built.wait_tasks == 3);
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
  CHECK(strands_of(built)[3] == "2@0 100-1000 net 800");
  REQUIRE(built.kernels.size() == 4);  // the program, the region, and the two of tasks
  CHECK(built.kernel_totals[2].count == 4);
  CHECK(built.kernel_totals[2].work_ns == 800 - 100);
  CHECK(built.kernel_totals[3].count == 2);
  CHECK(built.kernel_totals[3].work_ns == 100);
  REQUIRE(built.subtrees.size() == 1);
  CHECK(built.subtrees[0].node == 3);
  CHECK(built.subtrees[0].tasks == 5);
  CHECK(built.subtrees[0].runtime_ns == 90);
  CHECK(built.subtrees[0].span_ns == 400);
}

TEST_CASE("what a subtree's events cost is taken out of it") {
  trace::ProbeCosts costs{};
  costs[FORETASK_EVENT_TASK_CREATE] = 10;
  costs[FORETASK_EVENT_TASK_SWITCH_OWN] = 12;
  costs[FORETASK_EVENT_TASK_END] = 8;
  costs[FORETASK_EVENT_WAIT_BEGIN] = 5;
  costs[FORETASK_EVENT_WAIT_END] = 4;
  costs[FORETASK_EVENT_SUBTREE] = 1000;  // in foretask's own time
  const auto built = one_subtree().build(costs);
  CHECK(contradiction(built).empty());
  // Of its five tasks 110 within and 40 between them, of its two waits 8 and 10; and the root's own beginning.
  CHECK(strands_of(built)[3] == "2@0 100-1000 net " + std::to_string(800 - 110 - 8 - 12));
  CHECK(built.subtrees[0].runtime_ns == 90 - 50);
  CHECK(built.kernel_totals[3].work_ns == std::llround(100 * (1 - 130.0 / 800)));
  CHECK(built.subtrees[0].span_ns == std::llround(400 * (1 - 130.0 / 800)));
}

TEST_CASE("what the runtime took for a subtree's tasks is taken out of it") {
  const std::vector<foretask::analysis::TeamCosts> costs = {
      {.threads = 1, .create_ns = 20, .wait_ns = 7, .body_ns = 3}};
  const auto built = one_subtree().build({}, 0, {}, false, costs);
  CHECK(contradiction(built).empty());
  const std::int64_t runtime = 5 * (20 + 3) + 2 * 7;
  CHECK(built.subtrees[0].runtime_ns == 90 + runtime);
  CHECK(strands_of(built)[3] == "2@0 100-1000 net " + std::to_string(800 - runtime - 3));
}

TEST_CASE("of tasks that were only counted the counting is taken out") {
  trace::ProbeCosts costs{};
  costs[FORETASK_EVENT_TASK_CREATE] = 10;
  costs[FORETASK_EVENT_WAIT_END] = 5;
  costs[FORETASK_EVENT_SUBTREE] = 3;
  const auto built = one_subtree(4).build(costs);
  CHECK(built.counted_tasks == 4);
  CHECK(contradiction(built).empty());
  // One creation of five was stamped, and so one wait of five is taken to have been: two fifths of one.
  CHECK(strands_of(built)[3] == "2@0 100-1000 net " + std::to_string(800 - 4 * 3 - 10 - 2));
}

TEST_CASE("a counted task that another thread takes is made as the task was in which it was counted") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  const Name root = trace.create(0, 50);
  trace.wait(0, 60);
  trace.run(0, 100, root);
  trace.barrier(1, 20);
  trace.event(1, 200, FORETASK_EVENT_TASK_TAKEN, {kOtherCode, 0, root.number, root.stream});
  const Name taken = {1, 1};  // behind the thread's own task
  trace.run(1, 210, taken);
  trace.end(1, 600);
  trace.event(0, 700, FORETASK_EVENT_SUBTREE, {400, 0, 0, 1, 0, 2, 1, kCode, 0, 2, 200});
  trace.end(0, 700);
  trace.wait_end(0, 710);
  trace.end_team(1000);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
  CHECK(built.tasks == 4);
  CHECK(built.create_task == 4);
  const auto strand_of = [&](std::int64_t begin_ns) {
    return static_cast<std::uint32_t>(std::ranges::find(built.strands.begin_ns, begin_ns) -
                                      built.strands.begin_ns.begin());
  };
  const auto has_edge = [&](std::int64_t from_ns, std::int64_t to_ns, foretask::graph::EdgeKind kind) {
    for (std::size_t i = 0; i < built.edges.size(); ++i)
      if (built.edges.from[i] == strand_of(from_ns) && built.edges.to[i] == strand_of(to_ns) &&
          built.edges.kind[i] == kind)
        return true;
    return false;
  };
  using foretask::graph::EdgeKind;
  // Its creator's strand ends at 50, as the root's creation.
  for (const std::int64_t begin_ns : {100, 210}) {
    bool is_made_by_team = false;
    for (std::size_t i = 0; i < built.edges.size(); ++i)
      if (built.edges.to[i] == strand_of(begin_ns) && built.edges.kind[i] == EdgeKind::kCreate)
        is_made_by_team = built.strands.end_ns[built.edges.from[i]] == 50;
    INFO(begin_ns);
    CHECK(is_made_by_team);
    CHECK(has_edge(begin_ns, 710, EdgeKind::kJoin));
  }
}

TEST_CASE("a damaged trace takes a task that was never made") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.event(0, 100, FORETASK_EVENT_TASK_TAKEN, {kCode, 0, 40, 3});
  trace.run(0, 110, {0, 1});
  trace.end(0, 120);
  trace.end_team(200);
  CHECK(contradiction(trace.build()).empty());
}

TEST_CASE("a damaged trace has a subtree where no task runs") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.event(0, 100, FORETASK_EVENT_SUBTREE, {1, 0, 0, 0, 0, 0, 1, kCode, 0, 1, 5});
  trace.end_team(200);
  CHECK(trace.build().anomalies == 1);
}
