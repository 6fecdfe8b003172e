// SPDX-License-Identifier: Apache-2.0
// Tasks that are in one order, whoever creates them; that name each other; that have no body. Counted by hand.

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::Name;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

using Lines = std::vector<std::string>;
constexpr std::uint32_t kOneOrder = FORETASK_TASK_ONE_ORDER;
constexpr std::uint32_t kEmpty = FORETASK_TASK_ONE_ORDER | FORETASK_TASK_EMPTY;

std::pair<std::uint64_t, std::uint32_t> after(Name task) {
  return {std::uint64_t{task.stream + 1} << 32 | task.number, FORETASK_DEPENDENCE_AFTER};
}
std::pair<std::uint64_t, std::uint32_t> before(Name task) {
  return {std::uint64_t{task.stream + 1} << 32 | task.number, FORETASK_DEPENDENCE_BEFORE};
}

void run_from_to(TraceBuilder& trace, std::uint32_t worker, Name task, std::int64_t from_ns, std::int64_t to_ns) {
  trace.run(worker, from_ns, task);
  trace.end(worker, to_ns);
}

// "FROM>TO" of all dependence edges, by when the strands began.
Lines dependences(const graph::RecordedGraph& built) {
  Lines lines;
  const auto begin = [&built](graph::NodeIndex node) { return std::to_string(built.strands.begin_ns[node]); };
  for (std::size_t i = 0; i < built.edges.size(); ++i)
    if (built.edges.kind[i] == graph::EdgeKind::kDependence)
      lines.push_back(begin(built.edges.from[i]) + ">" + begin(built.edges.to[i]));
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

TEST_CASE("a task comes after one that it names, and before one that is created already") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  const Name last = trace.create_after(0, 30, {}, kOneOrder);
  const Name first = trace.create_after(0, 40, {before(last)}, kOneOrder);
  const Name middle = trace.create_after(0, 50, {after(first), before(last)}, kOneOrder);
  trace.barrier(0, 60);
  run_from_to(trace, 1, first, 60, 70);
  run_from_to(trace, 1, middle, 70, 80);
  run_from_to(trace, 1, last, 80, 90);
  trace.barrier_end(0, 95);
  const auto built = trace.build();
  CHECK(dependences(built) == Lines{"60>70", "60>80", "70>80"});
  // One worker idles. From 30 to 40 the last task seems to be ready, from 40 to 60 the first is.
  CHECK(built.delay_ns == 30);
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
}

TEST_CASE("one that is over already may still be named") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  const Name first = trace.create_after(0, 30, {}, kOneOrder);
  run_from_to(trace, 1, first, 40, 50);
  const Name second = trace.create_after(0, 60, {after(first)}, kOneOrder);
  run_from_to(trace, 1, second, 70, 80);
  const auto built = trace.build();
  CHECK(dependences(built) == Lines{"40>70"});
  CHECK(built.anomalies == 0);
}

TEST_CASE("dependences hold among tasks of one order of different creators, and of others among siblings") {
  const bool is_in_one_order = GENERATE(true, false);
  const std::uint32_t flags = is_in_one_order ? kOneOrder : 0;
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  const Name creator = trace.create_after(0, 30, {}, flags);
  trace.run(1, 35, creator);
  const Name writer = trace.create_after(1, 40, {{0x100, FORETASK_DEPENDENCE_OUT}}, flags);
  trace.end(1, 50);
  const Name reader = trace.create_after(0, 60, {{0x100, FORETASK_DEPENDENCE_IN}}, flags);
  run_from_to(trace, 1, writer, 70, 80);
  run_from_to(trace, 1, reader, 90, 100);
  const auto built = trace.build();
  CHECK(dependences(built) == (is_in_one_order ? Lines{"70>90"} : Lines{}));
  CHECK(built.anomalies == 0);
}

TEST_CASE("the runtime may create a task of one order where none runs") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  const Name first = trace.create_after(0, 30, {}, kOneOrder);
  trace.barrier(0, 40);
  run_from_to(trace, 1, first, 40, 50);
  const Name second = trace.create_after(1, 60, {after(first)}, kOneOrder);
  run_from_to(trace, 1, second, 70, 80);
  trace.barrier_end(0, 90);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK(dependences(built) == Lines{"40>70"});
  // What follows the barrier comes after both.
  CHECK(built.tasks == 2);
  CHECK(contradiction(built).empty());
}

TEST_CASE("an empty task is a node between what it comes after and what comes after it") {
  // Told before or after the tasks that it comes after are over.
  const bool is_told_late = GENERATE(false, true);
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  const Name first = trace.create_after(0, 21, {}, kOneOrder);
  const Name second = trace.create_after(0, 22, {}, kOneOrder);
  const Name empty = trace.create_after(0, 23, {after(first), after(second)}, kEmpty);
  if (!is_told_late) trace.fulfill(0, 23, empty);
  const Name next = trace.create_after(0, 24, {after(empty)}, kOneOrder);
  run_from_to(trace, 1, first, 30, 40);
  run_from_to(trace, 1, second, 40, 50);
  if (is_told_late) trace.fulfill(0, 55, empty);
  run_from_to(trace, 1, next, 60, 70);
  const auto built = trace.build();
  const std::string node = is_told_late ? "55" : "50";
  CHECK(dependences(built) == Lines{"30>" + node, "40>" + node, node + ">60"});
  CHECK(built.tasks == 3);
  CHECK(built.create_task == 3);
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a chain of empty tasks is over at once") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  Name before_it = trace.create_after(0, 21, {}, kOneOrder);
  const Name first = before_it;
  for (int i = 0; i < 1000; ++i) {
    const Name empty = trace.create_after(0, 22, {after(before_it)}, kEmpty);
    trace.fulfill(0, 22, empty);
    before_it = empty;
  }
  const Name last = trace.create_after(0, 24, {after(before_it)}, kOneOrder);
  run_from_to(trace, 1, first, 30, 40);
  run_from_to(trace, 1, last, 40, 50);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK(built.tasks == 2);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a trace that contradicts itself over named tasks is read to its end") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  const Name one = trace.create_after(0, 30, {after({0, 77}), after({9, 1})}, kOneOrder);
  const Name two = trace.create_after(0, 31, {after(one), before(one)}, kOneOrder);  // a circle
  const Name itself = trace.create_after(0, 32, {after({0, 4})}, kEmpty);
  trace.fulfill(0, 33, itself);
  trace.fulfill(0, 33, itself);
  run_from_to(trace, 1, one, 40, 50);
  run_from_to(trace, 1, two, 50, 60);
  CHECK(trace.build().tasks == 2);
}

TEST_CASE("a thread that only submits is no worker, and gives way where all of them are busy") {
  TraceBuilder trace(2);
  const Name program = trace.initial(0, 0);
  const Name region = trace.fork(0, 10);
  const Name submitter = trace.member(0, 10, region, 1, FORETASK_RUNS_NO_TASKS);
  trace.member(1, 20, region, 1, 0);
  trace.barrier(1, 20);
  const Name task = trace.create_after(0, 30, {}, kOneOrder);
  run_from_to(trace, 1, task, 50, 150);
  trace.barrier(0, 110);
  trace.barrier_end(0, 160);
  trace.member_end(0, 170, submitter);
  trace.join(0, 170, region);
  trace.member_end(0, 200, program);
  const auto built = trace.build();
  CHECK(built.workers == 1);
  // The program's own code for 50 before the task and 40 after it; not from 50 to 110, where the worker is busy.
  CHECK(built.work_ns == 50 + 100 + 40);
  CHECK(built.delay_ns == 0);
  CHECK(built.no_work_ns == 10);
  CHECK(built.elapsed_ns == 200);
  CHECK(contradiction(built).empty());
}

TEST_CASE("what waits for a task that still runs comes after the part of it that has run") {
  TraceBuilder trace(2);
  trace.initial(0, 0);
  const Name region = trace.fork(0, 10, 0);  // of a runtime, whose tasks' ends are told late
  trace.member(0, 20, region, 2, 0);
  trace.member(1, 20, region, 2, 1);
  trace.barrier(1, 20);
  const Name parent = trace.create_after(0, 30, {}, kOneOrder);
  trace.barrier(0, 35);
  trace.run(0, 40, parent);
  const Name child = trace.create_after(0, 50, {}, kOneOrder);
  trace.run(1, 60, child);
  trace.wait(0, 70);
  trace.wait_end(0, 90);  // it has kept its promise
  trace.end(1, 110);
  trace.end(0, 120);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
  bool has_join = false;
  for (std::size_t i = 0; i < built.edges.size(); ++i)
    has_join = has_join ||
               (built.edges.kind[i] == graph::EdgeKind::kJoin && built.strands.begin_ns[built.edges.from[i]] == 60 &&
                built.strands.end_ns[built.edges.from[i]] == 90 && built.strands.begin_ns[built.edges.to[i]] == 90);
  CHECK(has_join);
}

TEST_CASE("threads that submit to a team are no workers of it, whichever they are") {
  TraceBuilder trace(4);
  const Name program = trace.initial(0, 0);
  const Name region = trace.fork(0, 10);
  const Name submitter = trace.member(0, 10, region, 1, FORETASK_RUNS_NO_TASKS);
  trace.member(1, 20, region, 1, 0);
  trace.barrier(1, 20);
  trace.barrier(0, 25);
  const Name client = trace.initial(2, 30);  // a thread of the program's
  const Name task = trace.create_after(2, 40, {}, kOneOrder);
  run_from_to(trace, 1, task, 50, 150);
  trace.member_end(2, 100, client);
  // A second pool, made on another thread, of two.
  const Name second = trace.initial(3, 60);
  const Name other = trace.fork(3, 160);
  const Name maker = trace.member(3, 160, other, 2, FORETASK_RUNS_NO_TASKS);
  trace.member_end(3, 170, maker);
  trace.join(3, 170, other);
  trace.member_end(3, 175, second);
  trace.barrier_end(0, 180);
  trace.member_end(0, 190, submitter);
  trace.join(0, 190, region);
  trace.member_end(0, 200, program);
  const auto built = trace.build();
  CHECK(built.workers == 3);
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
}
