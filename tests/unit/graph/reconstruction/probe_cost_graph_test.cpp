// SPDX-License-Identifier: Apache-2.0
// The probes' own cost is taken out of where it fell, and the sums stay whole.
#include <cmath>

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::Name;
using foretask::test::strands_of;
using foretask::test::TraceBuilder;
using foretask::trace::ProbeCosts;

namespace {

using Lines = std::vector<std::string>;

ProbeCosts every_event_costs(double ns) {
  ProbeCosts costs{};
  costs.fill(ns);
  return costs;
}

TraceBuilder group_on_one_worker() {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.group(0, 30);
  const Name child = trace.create(0, 40);
  trace.group_wait(0, 50);
  trace.run(0, 60, child);
  const Name grandchild = trace.create(0, 70);
  trace.end(0, 80);
  trace.run(0, 90, grandchild);
  trace.end(0, 100);
  trace.group_end(0, 110);
  trace.end_team(120);
  return trace;
}

}  // namespace

TEST_CASE("on one worker each probe's cost is taken out of the strand or the gap behind its event") {
  const auto built = group_on_one_worker().build(every_event_costs(2));
  // The event that begins a strand costs within it, as does every further one; the one that ends it costs the gap.
  CHECK(strands_of(built) == Lines{"0@0 0-10 net 8", "1@0 20-40 net 16", "1@0 40-50 net 8", "2@0 60-70 net 8",
                                   "2@0 70-80 net 8", "3@0 90-100 net 8", "1@0 110-120 net 8", "1* 130",
                                   "1@0 130-140 net 8", "0@0 150-160 net 8"});
  CHECK(built.work_ns == 80);
  CHECK(built.delay_ns == 3 * (10 - 2));
  CHECK(built.no_work_ns == 3 * (10 - 2));
  // 17 events; the last ends the program.
  CHECK(built.probe_ns == 16 * 2);
  CHECK(built.elapsed_ns == 160 - 16 * 2);
  CHECK(built.recorded_elapsed_ns == 160);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a group that has its time stamp from its first task costs no probe of its own") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.group(0, 30);
  const Name child = trace.create(0, 30);
  trace.group_wait(0, 50);
  trace.run(0, 60, child);
  trace.end(0, 80);
  trace.group_end(0, 110);
  // Two groups one in the other, and a task later: each has a stamp of its own.
  trace.group(0, 120);
  trace.group(0, 120);
  trace.create(0, 125);
  const auto built = trace.build(every_event_costs(2));
  // The region, its implicit task, and of the nine others eight.
  CHECK(built.probe_ns == (2 + 8) * 2);
  // 30 to 50: the group with its task is one, and 20 to 30 the implicit task's beginning.
  CHECK(strands_of(built)[1] == "1@0 20-30 net 8");
  CHECK(strands_of(built)[2] == "1@0 30-50 net 18");
}

TEST_CASE("a parameter that has its time stamp from its task's end costs no probe of its own") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name first = trace.create(0, 30);
  const Name second = trace.create(0, 40);
  trace.run(0, 50, first);
  trace.parameter(0, 70, 0, 1);
  trace.end(0, 70);
  trace.run(0, 80, second);
  trace.parameter(0, 100, 0, 1);
  trace.end(0, 105);
  trace.end_team(120);
  const auto built = trace.build(every_event_costs(2));
  // The switch to each task, and in the second one its parameter.
  CHECK(strands_of(built)[4] == "2@0 50-70 net 18");
  CHECK(strands_of(built)[5] == "3@0 80-105 net 21");
}

TEST_CASE("a kind of event costs what it costs") {
  ProbeCosts costs{};
  costs[FORETASK_EVENT_TASK_CREATE] = 3;
  const auto built = group_on_one_worker().build(costs);
  CHECK(built.probe_ns == 6);
  CHECK(strands_of(built)[2] == "1@0 40-50 net 7");
  CHECK(strands_of(built)[4] == "2@0 70-80 net 7");
  CHECK(built.work_ns == 94);
  CHECK(built.delay_ns == 30);
  CHECK(contradiction(built).empty());
}

TEST_CASE("with both workers at work a probe slows the program by its part") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  // 100 events on worker 0 that change nothing else, while both run.
  for (int i = 0; i < 100; ++i) trace.event(0, 30 + i, FORETASK_EVENT_LOCK_RELEASED, {1, 0});
  trace.barrier(0, 1'000);
  trace.barrier(1, 1'000);
  ProbeCosts costs{};
  costs[FORETASK_EVENT_LOCK_RELEASED] = 4;
  const auto built = trace.build(costs);
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-1000 net 580", "2@1 20-1000"});
  CHECK(built.elapsed_ns == 1'000 - 400 / 2);
  CHECK(built.work_ns == 10 + 580 + 980);
  CHECK(built.no_work_ns == 10 + 20);  // beside the initial task, and the fork
  CHECK(contradiction(built).empty());
}

TEST_CASE("no strand is shorter than nothing: what a probe cannot have cost is given back") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  for (int i = 0; i < 10; ++i) trace.create(0, 30 + i);  // strands of 1 ns
  trace.end_team(100);
  ProbeCosts costs{};
  costs[FORETASK_EVENT_TASK_CREATE] = 5;
  const auto built = trace.build(costs);
  CHECK(strands_of(built)[2] == "1@0 30-31 net 0");
  CHECK(built.probe_ns == 9 * 1 + 5);
  CHECK(contradiction(built).empty());
}

TEST_CASE("parts of a ns are not lost to rounding") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  constexpr int kTasks = 10'000;
  for (int i = 0; i < kTasks; ++i) trace.create(0, 30 + 10 * i);
  trace.end_team(30 + 10 * kTasks);
  ProbeCosts costs{};
  costs[FORETASK_EVENT_TASK_CREATE] = 0.4;
  const auto built = trace.build(costs);
  CHECK(built.probe_ns == 4'000);
  CHECK(std::abs(built.work_ns - (10 + 10 + 10 * kTasks - 4'000 + 20)) <= 1);
  CHECK(contradiction(built).empty());
}

TEST_CASE("the tool's own time is taken out, but never more than has passed") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.event(0, 5'000, FORETASK_EVENT_TOOL_TIME, {3'000, 0});
  trace.end_team(10'000);
  const auto built = trace.build();
  CHECK(strands_of(built)[1] == "1@0 20-10000 net 6980");
  CHECK(built.probe_ns == 3'000);
  CHECK(built.elapsed_ns == 10'040 - 3'000);
  CHECK(contradiction(built).empty());

  TraceBuilder impossible(1);
  impossible.begin_team(1);
  impossible.event(0, 100, FORETASK_EVENT_TOOL_TIME, {0, 1U << 20});
  impossible.end_team(10'000);
  const auto bounded = impossible.build();
  CHECK(bounded.probe_ns == 80);  // of the strand that began at 20
  CHECK(bounded.elapsed_ns == 10'040 - 80);
  CHECK(contradiction(bounded).empty());
}

TEST_CASE("the tool's own time in a gap is the gap's at most, however often it is told") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.wait(0, 100);
  for (int i = 0; i < 10; ++i) trace.event(0, 140, FORETASK_EVENT_TOOL_TIME, {30, 0});
  trace.wait_end(0, 150);
  trace.end_team(200);
  const auto built = trace.build();
  CHECK(built.probe_ns == 40);
  CHECK(built.delay_ns == 10);
  CHECK(built.elapsed_ns == 240 - 40);
  CHECK(contradiction(built).empty());
}

TEST_CASE("no run is shorter than its critical path, however long the tool works on idle workers") {
  TraceBuilder trace(4);
  trace.begin_team(4);
  for (const std::uint32_t idle : {1U, 2U, 3U}) {
    trace.barrier(idle, 30);
    trace.event(idle, 9'000, FORETASK_EVENT_TOOL_TIME, {8'000, 0});
  }
  trace.end_team(10'000);
  const auto built = trace.build();
  // 10 ns before the region, 9,980 and 10 in it, 10 behind it.
  CHECK(built.elapsed_ns == 10'010);
  CHECK(built.work_ns == 10'010 + 3 * 10);
  CHECK(contradiction(built).empty());
}

TEST_CASE("no gap is shorter than nothing: what its probes cannot have cost is given back") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name task = trace.create(0, 30);
  trace.wait(0, 40);  // the task is ready: 3 ns of delay
  trace.run(0, 43, task);
  trace.end(0, 60);
  trace.wait_end(0, 61);
  trace.end_team(100);
  ProbeCosts costs{};
  costs[FORETASK_EVENT_WAIT_BEGIN] = 5;
  costs[FORETASK_EVENT_TASK_END] = 5;
  const auto built = trace.build(costs);
  CHECK(built.delay_ns == 0);
  CHECK(built.no_work_ns == 30);
  CHECK(built.probe_ns == 3 + 1);
  CHECK(built.elapsed_ns == 140 - 4);
  CHECK(contradiction(built).empty());
}

TEST_CASE("the tool's start is no time of the program's") {
  TraceBuilder trace(1);
  trace.event(0, 900, FORETASK_EVENT_TOOL_TIME, {600, 0});
  const Name initial = trace.initial(0, 900);
  trace.member_end(0, 1'000, initial);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-1000 net 400"});
  CHECK(built.elapsed_ns == 400);
}

TEST_CASE("a program goes on after its last event until it is gone") {
  const auto built = group_on_one_worker().build({}, 1'000);
  CHECK(strands_of(built).back() == "0@0 160-1000");
  CHECK(built.elapsed_ns == 1'000);
  CHECK(built.program_end_ns == 160);
  CHECK(contradiction(built).empty());
}
