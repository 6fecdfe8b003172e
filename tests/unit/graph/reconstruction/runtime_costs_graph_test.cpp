// SPDX-License-Identifier: Apache-2.0
// What the runtime takes within strands is taken out of them, and the gaps between strands are measured. Counted by
// hand.
#include <catch2/catch.hpp>

#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::Name;
using foretask::test::strands_of;
using foretask::test::TraceBuilder;

namespace {

using Lines = std::vector<std::string>;

// A team of one, as libomp runs it: each task within its creation.
TraceBuilder at_once() {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name a = trace.create(0, 130, FORETASK_TASK_UNDEFERRED);
  trace.run(0, 133, a);
  trace.end(0, 193);
  const Name b = trace.create(0, 253, FORETASK_TASK_UNDEFERRED);
  trace.run(0, 255, b);
  trace.end(0, 315);
  trace.wait(0, 375);
  trace.wait_end(0, 379);
  trace.end_team(439);
  return trace;
}

// A team of two, of which the first creates two tasks and runs both.
TraceBuilder own_tasks() {
  TraceBuilder trace(2);
  trace.begin_team(2);
  const Name a = trace.create(0, 130);
  const Name b = trace.create(0, 230);
  trace.barrier(1, 240);
  trace.wait(0, 330);
  trace.run(0, 340, b);
  trace.end(0, 440);
  trace.run(0, 460, a);
  trace.end(0, 560);
  trace.wait_end(0, 565);
  trace.end_team(665);
  return trace;
}

}  // namespace

TEST_CASE("a task that runs within its creation leaves no strand between them") {
  const auto built = at_once().build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-130", "2@0 133-193", "1@0 193-253", "3@0 255-315", "1@0 315-375",
                                   "1@0 379-439", "1* 449", "1@0 449-459", "0@0 469-479"});
  CHECK(built.runtime.dispatch.count() == 2);
  CHECK(built.runtime.dispatch.mean_ns() == 2.5);
  CHECK(built.runtime.pass.mean_ns() == 4);
  CHECK(built.work_ns + built.delay_ns + built.no_work_ns == built.elapsed_ns);
  CHECK(built.anomalies == 0);
}

TEST_CASE("the costs within strands become delay, and work keeps the rest") {
  const auto plain = own_tasks().build();
  const auto built = own_tasks().build(
      {}, 0, {}, false,
      {{.threads = 1, .create_ns = 1000}, {.threads = 2, .create_ns = 7, .wait_ns = 11, .body_ns = 3}});
  // Two creations, a wait, two bodies.
  CHECK(built.work_ns == plain.work_ns - 2 * 7 - 11 - 2 * 3);
  CHECK(built.delay_ns == plain.delay_ns + 2 * 7 + 11 + 2 * 3);
  CHECK(built.elapsed_ns == plain.elapsed_ns);
  CHECK(built.no_work_ns == plain.no_work_ns);
}

TEST_CASE("a strand that is shorter than its cost leaves the rest to the worker's next ones") {
  const auto plain = own_tasks().build();
  const auto built = own_tasks().build({}, 0, {}, false, {{.threads = 2, .create_ns = 130}});
  // 110 ns before the first creation and 100 before the second: the strand before the wait pays 50.
  CHECK(built.work_ns == plain.work_ns - 2 * 130);
}

TEST_CASE("the gaps before strands are measured by what they are for") {
  const auto built = own_tasks().build();
  CHECK(built.runtime.dispatch.mean_ns() == 10);  // 330 to 340
  CHECK(built.runtime.next.mean_ns() == 20);      // 440 to 460
  CHECK(built.runtime.resume.mean_ns() == 5);     // 560 to 565
  CHECK(built.runtime.pass.count() == 0);
  CHECK(built.runtime.steal.count() == 0);
}
