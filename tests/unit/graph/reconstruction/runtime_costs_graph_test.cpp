// SPDX-License-Identifier: Apache-2.0
// What the runtime takes within strands is taken out of them, and the gaps between strands are measured. Counted by
// hand.
#include <algorithm>
#include <tuple>

#include "catch.hpp"
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
  CHECK(built.runtime.at_once.count() == 2);
  CHECK(built.runtime.at_once.mean_ns() == 2.5);
  CHECK(built.runtime.dispatch.count() == 0);
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

TEST_CASE("an undeferred task leaves no strand between its creation and itself, whatever others begin meanwhile") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  const Name a = trace.create(0, 130, FORETASK_TASK_UNDEFERRED | FORETASK_TASK_IF_CLAUSE);
  trace.barrier(1, 131);
  trace.run(0, 133, a);
  trace.end(0, 193);
  trace.wait(0, 253);
  trace.wait_end(0, 257);
  trace.end_team(300);
  const auto built = trace.build();
  std::int64_t empty = 0;
  for (std::size_t i = 0; i < built.strands.size(); ++i)
    if (built.strands.worker[i] == 0 && built.strands.begin_ns[i] == 130) ++empty;
  CHECK(empty == 0);
  CHECK(built.runtime.at_once.mean_ns() == 3);
  CHECK(built.anomalies == 0);
  CHECK(built.work_ns + built.delay_ns + built.no_work_ns == 2 * built.elapsed_ns);
}

TEST_CASE("a task whose undeferred one is cancelled before it runs goes on at once") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name discarded = trace.create(0, 130, FORETASK_TASK_UNDEFERRED | FORETASK_TASK_IF_CLAUSE);
  trace.event(0, 135, FORETASK_EVENT_TASK_CANCEL, {discarded.number, discarded.stream});
  trace.wait(0, 235);
  trace.wait_end(0, 240);
  trace.end_team(300);
  const auto built = trace.build();
  bool goes_on = false;
  for (std::size_t i = 0; i < built.strands.size(); ++i)
    goes_on = goes_on || (built.strands.begin_ns[i] == 135 && built.strands.end_ns[i] == 235);
  CHECK(goes_on);
  CHECK(built.cancelled_tasks == 1);
  CHECK(built.anomalies == 0);
}

TEST_CASE("a task that waits for an undeferred one does not go on behind another that its worker runs meanwhile") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name other = trace.create(0, 110);
  const Name waited_for = trace.create(0, 130, FORETASK_TASK_UNDEFERRED | FORETASK_TASK_IF_CLAUSE);
  trace.run(0, 140, other);
  trace.end(0, 190);
  trace.run(0, 200, waited_for);
  trace.end(0, 240);
  trace.wait(0, 253);
  trace.wait_end(0, 257);
  trace.end_team(300);
  const auto built = trace.build();
  for (std::size_t i = 0; i < built.strands.size(); ++i) {
    const std::int64_t begin_ns = built.strands.begin_ns[i];
    CHECK((begin_ns < 190 || begin_ns >= 200));
  }
  CHECK(built.tasks == 2);
  CHECK(built.anomalies == 0);
}

TEST_CASE("a task for which the deque has no room leaves no strand, also where another worker has begun one since") {
  // As libomp's deque of a larger team does when it is full: the task runs within its creation.
  TraceBuilder trace(2);
  trace.begin_team(2);
  const Name outer = trace.create(0, 100);
  trace.wait(0, 105);
  trace.run(0, 110, outer);
  const Name stolen = trace.create(0, 120);
  const Name inner = trace.create(0, 130);
  trace.barrier(1, 121);
  trace.run(1, 132, stolen);
  trace.run(0, 133, inner);
  trace.end(0, 193);
  trace.end(1, 200);
  trace.end(0, 240);
  trace.wait_end(0, 250);
  trace.end_team(300);
  const auto built = trace.build();
  CHECK(built.runtime.at_once.mean_ns() == 3);
  // What is left of the strand behind the second creation has no length and no worker, and no edge leads to it.
  std::int64_t work_ns = 0;
  for (std::size_t i = 0; i < built.strands.size(); ++i)
    if (built.strands.begin_ns[i] == 130 && built.strands.worker[i] == 0) {
      CHECK(built.strands.cores[i] == 0);
      CHECK(built.strands.duration_ns[i] == 0);
      CHECK(std::count(built.edges.to.begin(), built.edges.to.end(), i) == 0);
    } else {
      work_ns += built.strands.cores[i] != 0 ? built.strands.duration_ns[i] : 0;
    }
  CHECK(built.work_ns == work_ns);
  CHECK(built.anomalies == 0);
  CHECK(built.work_ns + built.delay_ns + built.no_work_ns == 2 * built.elapsed_ns);
}

TEST_CASE("where the runtime's gaps take half as long as calibrated, half of its costs are taken out") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  std::int64_t now = 100;
  constexpr int kTasks = 20'000;
  for (int i = 0; i < kTasks; ++i) {
    const Name task = trace.create(0, now += 500, FORETASK_TASK_UNDEFERRED);
    trace.run(0, now += 20, task);
    trace.end(0, now += 500);
  }
  trace.end_team(now + 100);
  const auto built = trace.build({}, 0, {}, false, {{.threads = 1, .create_ns = 100, .body_ns = 40, .at_once_ns = 40}});
  CHECK(built.calibrated_runtime_ns == kTasks * 140.0);
  // The first thousand gaps are what the factor is learned from.
  CHECK(built.taken_runtime_ns == Approx(kTasks * 70.0).epsilon(0.06));
}

TEST_CASE("who runs the tasks that it makes at once pays for them what a team of one does, once that is seen") {
  constexpr int kTasks = 2000;
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 120);
  std::int64_t now = 1000;
  for (int i = 0; i < kTasks; ++i, now += 2000) {
    const Name task = trace.create(0, now);
    trace.run(0, now + 2, task);
    trace.end(0, now + 1000);
  }
  trace.end_team(now);
  const auto built = trace.build({}, 0, {}, false, {{.threads = 1, .create_ns = 40}, {.threads = 2, .create_ns = 440}});
  // Of what is dearer 255/256 are left with each task.
  double expected_ns = 0;
  double left = 1;
  for (int i = 0; i < kTasks; ++i, left *= 255.0 / 256) expected_ns += 40 + 400 * left;
  CHECK(built.taken_runtime_ns == Approx(expected_ns).epsilon(0.001));
}

namespace {

// Three tasks with no dependence, two and one, all on the thread that makes them.
TraceBuilder tasks_with_dependences() {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name a = trace.create(0, 130);
  const Name b = trace.create_after(0, 230, {{0x10, FORETASK_DEPENDENCE_INOUT}, {0x20, FORETASK_DEPENDENCE_IN}});
  const Name c = trace.create_after(0, 350, {{0x20, FORETASK_DEPENDENCE_INOUT}});
  trace.wait(0, 460);
  for (const auto& [task, from_ns, end_ns] : {std::tuple{a, 470, 500}, {b, 520, 600}, {c, 650, 700}}) {
    trace.run(0, from_ns, task);
    trace.end(0, end_ns);
  }
  trace.wait_end(0, 710);
  trace.end_team(800);
  return trace;
}

}  // namespace

TEST_CASE("what dependences take becomes delay, and the gaps behind such tasks are told without it") {
  const auto plain = tasks_with_dependences().build();
  const auto built =
      tasks_with_dependences().build({}, 0, {}, false, {{.threads = 1, .depend_ns = 9, .release_ns = 15}});
  CHECK(built.work_ns == plain.work_ns - 3 * 9);
  CHECK(built.elapsed_ns == plain.elapsed_ns);
  CHECK(plain.runtime.next.mean_ns() == 0.5 * (20 + 50));
  CHECK(built.runtime.next.mean_ns() == 0.5 * (20 + 50 - 2 * 15));
  REQUIRE(built.dependences_of_task.size() == built.parent_of_task.size());
  CHECK(std::count(built.dependences_of_task.begin(), built.dependences_of_task.end(), 2) == 1);
  CHECK(std::count(built.dependences_of_task.begin(), built.dependences_of_task.end(), 1) == 1);
}

TEST_CASE("strands between creations and gaps behind tasks are told apart by the number of dependences") {
  const auto built = tasks_with_dependences().build();
  const auto& creates = built.runtime.strands[static_cast<std::size_t>(foretask::graph::Boundary::kCreate)];
  CHECK(creates[static_cast<std::size_t>(foretask::graph::Boundary::kCreate)].mean_ns() == 100);
  CHECK(built.runtime.creations[2].mean_ns() == 120);
  CHECK(built.runtime.creations[1].count() == 0);  // its strand ends with a wait
  CHECK(built.runtime.ends[0].mean_ns() == 20);
  CHECK(built.runtime.ends[2].mean_ns() == 50);
}
