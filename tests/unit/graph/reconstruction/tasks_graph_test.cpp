// SPDX-License-Identifier: Apache-2.0
// Graphs of tasks of every sort, counted by hand.

#include "catch.hpp"
#include "graph/reconstruction/path_analysis.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::edges_into;
using foretask::test::edges_of;
using foretask::test::Name;
using foretask::test::strands_of;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("an undeferred task holds up its parent: a join, and the parent is not ready meanwhile") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 25);
  const Name child = trace.create(0, 30, FORETASK_TASK_UNDEFERRED);
  trace.run(0, 30, child);
  trace.end(0, 40);
  trace.end_team(50);
  const auto built = trace.build();
  CHECK(strands_of(built) ==
        Lines{"0@0 0-10", "1@0 20-30", "2@1 20-25", "3@0 30-40", "1@0 40-50", "1* 60", "1@0 60-70", "0@0 80-90"});
  CHECK(edges_into(built, 3) == Lines{"1>3n"});
  CHECK(edges_into(built, 4) == Lines{"1>4c", "3>4j"});
  CHECK(built.delay_ns == 0);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a team of one says undeferred of every task, and none of them holds up its parent") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name child = trace.create(0, 30, FORETASK_TASK_UNDEFERRED);
  trace.run(0, 30, child);
  trace.end(0, 40);
  trace.end_team(50);
  const auto built = trace.build();
  CHECK(strands_of(built) ==
        Lines{"0@0 0-10", "1@0 20-30", "2@0 30-40", "1@0 40-50", "1* 60", "1@0 60-70", "0@0 80-90"});
  CHECK(edges_into(built, 3) == Lines{"1>3c"});
  // With one more worker the parent could have gone on beside its child.
  CHECK(graph::longest_work_path(built).length == 50);
  CHECK(edges_into(built, 4) == Lines{"2>4j", "3>4j"});
}

TEST_CASE("a task within a final one holds up its parent in a team of one too") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name outer = trace.create(0, 30, FORETASK_TASK_UNDEFERRED | FORETASK_TASK_FINAL);
  trace.run(0, 30, outer);
  const Name inner = trace.create(0, 40, FORETASK_TASK_UNDEFERRED | FORETASK_TASK_FINAL);
  trace.run(0, 40, inner);
  trace.end(0, 50);
  trace.end(0, 60);
  trace.end_team(70);
  const auto built = trace.build();
  // 4: the final task's own continuation after what is included in it.
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "2@0 30-40", "3@0 40-50", "2@0 50-60", "1@0 60-70", "1* 80",
                                   "1@0 80-90", "0@0 100-110"});
  CHECK(edges_into(built, 4) == Lines{"2>4c", "3>4j"});
  CHECK(edges_into(built, 5) == Lines{"1>5c"});
}

TEST_CASE("a task that is run at once because its queue is full leaves its parent ready") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 25);
  const Name child = trace.create(0, 30);
  trace.run(0, 30, child);
  trace.end(0, 40);
  trace.end_team(50);
  const auto built = trace.build();
  CHECK(edges_into(built, 4) == Lines{"1>4c"});
  // The idle worker could have gone on with the parent for 10 ns.
  CHECK(built.delay_ns == 10);
  CHECK(contradiction(built).empty());
}

TEST_CASE("an untied task goes on with another worker") {
  TraceBuilder trace(2);
  const auto team = trace.begin_team(2);
  const Name task = trace.create(0, 30, FORETASK_TASK_UNTIED);
  trace.barrier(1, 35);
  trace.wait(0, 40);
  trace.run(0, 50, task);
  trace.run(0, 60, team[0]);  // suspended: its worker is back in the parent's taskwait
  trace.run(1, 70, task);
  trace.end(1, 80);
  trace.wait_end(0, 90);
  trace.end_team(100);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "2@1 20-35", "1@0 30-40", "3@0 50-60", "3@1 70-80",
                                   "1@0 90-100", "1* 110", "1@0 110-120", "0@0 130-140"});
  CHECK(edges_into(built, 4) == Lines{"1>4n"});
  CHECK(edges_into(built, 5) == Lines{"4>5c"});
  CHECK(edges_into(built, 6) == Lines{"3>6c", "5>6j"});
  CHECK(built.delay_ns == 5 + 10 + 10 + 10);  // 35-40 and 40-50 not yet begun, 60-70 suspended, 80-90 the parent
  CHECK(built.task_is_untied == std::vector<std::uint8_t>{0, 0, 0, 1});
  CHECK(built.tasks == 1);
  CHECK(built.unfinished_tasks == 0);
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a switch to the task that runs already is none") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name task = trace.create(0, 30, FORETASK_TASK_UNTIED | FORETASK_TASK_UNDEFERRED);
  trace.run(0, 30, task);
  trace.run(0, 35, task);
  trace.run(0, 36, task);
  trace.end(0, 40);
  trace.end_team(50);
  const auto built = trace.build();
  CHECK(strands_of(built)[2] == "2@0 30-40");
  CHECK(built.anomalies == 0);
}

TEST_CASE("a task that is suspended for another goes on after it") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name a = trace.create(0, 30);
  const Name b = trace.create(0, 40);
  trace.wait(0, 50);
  trace.run(0, 50, a);
  trace.run(0, 60, b);  // a's taskyield
  trace.end(0, 70);
  trace.end(0, 80);
  trace.wait_end(0, 80);
  trace.end_team(90);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "1@0 30-40", "1@0 40-50", "2@0 50-60", "3@0 60-70",
                                   "2@0 70-80", "1@0 80-90", "1* 100", "1@0 100-110", "0@0 120-130"});
  CHECK(edges_into(built, 5) == Lines{"2>5n"});
  CHECK(edges_into(built, 6) == Lines{"4>6c"});  // it need not have waited for b
  CHECK(edges_into(built, 7) == Lines{"3>7c", "5>7j", "6>7j"});
  CHECK(built.anomalies == 0);
}

TEST_CASE("a detached task is complete when its body is over and its event is fulfilled") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  const Name task = trace.create(0, 30);
  trace.wait(0, 40);
  SECTION("the event comes last: a node after the body and the strand that fulfils") {
    trace.run(0, 50, task);
    trace.detach(0, 60);
    trace.fulfill(1, 80, task);
    trace.wait_end(0, 90);
    const auto built = trace.build();
    CHECK(strands_of(built) ==
          Lines{"0@0 0-10", "1@0 20-30", "2@1 20-80", "1@0 30-40", "3@0 50-60", "3* 80", "2@1 80-90", "1@0 90-90"});
    CHECK(edges_into(built, 5) == Lines{"2>5d", "4>5j"});
    CHECK(edges_into(built, 6) == Lines{"2>6c"});
    CHECK(edges_into(built, 7) == Lines{"3>7c", "5>7j"});
    CHECK(built.delay_ns == 10 + 10);  // until it starts; from its event until the parent goes on
    CHECK(built.unfinished_tasks == 0);
    CHECK(built.anomalies == 0);
    CHECK(contradiction(built).empty());
  }
  SECTION("the event comes first: the body's end is the task's") {
    trace.run(0, 50, task);
    trace.fulfill(1, 55, task);
    trace.detach(0, 60);
    trace.wait_end(0, 90);
    const auto built = trace.build();
    CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "2@1 20-90", "1@0 30-40", "3@0 50-60", "1@0 90-90"});
    CHECK(edges_into(built, 5) == Lines{"3>5c", "4>5j"});
    CHECK(built.unfinished_tasks == 0);
    CHECK(built.anomalies == 0);
  }
  SECTION("the event comes before the task starts: the body's end is the task's") {
    trace.fulfill(1, 45, task);
    trace.run(0, 50, task);
    trace.detach(0, 60);
    trace.wait_end(0, 90);
    const auto built = trace.build();
    CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "2@1 20-90", "1@0 30-40", "3@0 50-60", "1@0 90-90"});
    CHECK(edges_into(built, 5) == Lines{"3>5c", "4>5j"});
    CHECK(built.unfinished_tasks == 0);
    CHECK(built.anomalies == 0);
  }
  SECTION("the event never comes: the task is not finished") {
    trace.run(0, 50, task);
    trace.detach(0, 60);
    const auto built = trace.build();
    CHECK(built.unfinished_tasks == 1);
    // Its time is a lower bound.
    CHECK(std::count(built.task_is_cut.begin(), built.task_is_cut.end(), 1) == 1);
    CHECK(built.anomalies == 0);
  }
}

TEST_CASE("tasks that were created and never ran are in no sum") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  for (int i = 0; i < 5; ++i) trace.create(0, 30);
  const auto built = trace.build();
  CHECK(built.create_task == 5);
  CHECK(built.tasks == 0);
  CHECK(built.unfinished_tasks == 0);
  CHECK(built.kernel_totals[built.kernel_of_task[2]].count == 0);
  CHECK(contradiction(built).empty());
}

TEST_CASE("tasks outside of any region run in the initial task") {
  TraceBuilder trace(1);
  const Name initial = trace.initial(0, 0);
  const Name task = trace.create(0, 10, FORETASK_TASK_UNDEFERRED);
  trace.run(0, 10, task);
  trace.end(0, 30);
  trace.member_end(0, 40, initial);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 10-30", "0@0 30-40"});
  CHECK(edges_of(built) == Lines{"0>1n", "0>2c", "1>2j"});
  CHECK(built.workers == 1);
  CHECK(built.work_ns == 40);
  CHECK(built.anomalies == 0);
}

TEST_CASE("the time before the first use of OpenMP is its thread's, whichever stream was opened first") {
  TraceBuilder trace(2);
  const Name earlier = trace.initial(1, 50);
  trace.member_end(1, 100, earlier);
  const Name later = trace.initial(0, 150);
  trace.member_end(0, 200, later);
  const auto built = trace.build();
  // Nobody uses OpenMP from 100 to 150: the program goes on in the thread that used it last.
  CHECK(strands_of(built) == Lines{"0@1 0-150", "1@0 150-200"});
  CHECK(edges_of(built) == Lines{"0>1c"});
  CHECK(built.workers == 1);
  CHECK(built.work_ns == 200);
  CHECK(contradiction(built).empty());
}

TEST_CASE("what a thread does after the program's end is not the program's") {
  TraceBuilder trace(2);
  const Name initial = trace.initial(0, 0);
  trace.initial(1, 50);  // a thread that the program made itself
  trace.member_end(0, 100, initial);
  trace.event(1, 500, FORETASK_EVENT_THREAD_END);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-100", "1@1 50-100"});
  CHECK(built.elapsed_ns == 100);
  CHECK(built.workers == 2);
  CHECK(built.work_ns == 150);
  CHECK(contradiction(built).empty());
}

TEST_CASE("how long idle workers took to begin ready tasks is kept, own and stolen apart") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 25);
  const Name own = trace.create(0, 30);
  const Name stolen = trace.create(0, 40);
  trace.run(1, 47, stolen);
  trace.wait(0, 50);
  trace.run(0, 53, own);
  trace.end(1, 60);
  trace.end(0, 60);
  trace.wait_end(0, 61);
  trace.end_team(70);
  const auto built = trace.build();
  CHECK(built.runtime.contended.count() == 1);
  CHECK(built.runtime.contended.mean_ns() == 3);  // of the deque from which the other one was stolen
  CHECK(built.runtime.steal.count() == 1);
  CHECK(built.runtime.steal.mean_ns() == 7);  // from its creation: the thief had been idle before
}
