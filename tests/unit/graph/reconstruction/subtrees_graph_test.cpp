// SPDX-License-Identifier: Apache-2.0
// Tasks whose subtree is one event, counted by hand.
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
TraceBuilder one_subtree() {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name root = trace.create(0, 50);
  trace.wait(0, 60);
  trace.run(0, 100, root);
  trace.event(0, 1000, FORETASK_EVENT_SUBTREE, {400, 90, 10, 2, 0, 2, kCode, 0, 3, 200, kOtherCode, 0, 2, 100});
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

TEST_CASE("a damaged trace has a subtree where no task runs") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.event(0, 100, FORETASK_EVENT_SUBTREE, {1, 0, 0, 0, 0, 1, kCode, 0, 1, 5});
  trace.end_team(200);
  CHECK(trace.build().anomalies == 1);
}
