// SPDX-License-Identifier: Apache-2.0
// Dependence edges between strands, counted by hand.

#include "catch.hpp"
#include "graph/reconstruction/path_analysis.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::edges_into;
using foretask::test::Name;
using foretask::test::strands_of;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

using Lines = std::vector<std::string>;
constexpr std::uint32_t kIn = FORETASK_DEPENDENCE_IN;
constexpr std::uint32_t kInout = FORETASK_DEPENDENCE_INOUT;
constexpr std::uint32_t kMutex = FORETASK_DEPENDENCE_MUTEXINOUTSET;

// Strands that dependence edges lead from to a strand.
std::vector<graph::NodeIndex> dependences_into(const graph::RecordedGraph& built, graph::NodeIndex strand) {
  std::vector<graph::NodeIndex> from;
  for (std::size_t i = 0; i < built.edges.size(); ++i)
    if (built.edges.to[i] == strand && built.edges.kind[i] == graph::EdgeKind::kDependence)
      from.push_back(built.edges.from[i]);
  std::sort(from.begin(), from.end());
  return from;
}

// The strand in which a task begins.
graph::NodeIndex first_strand(const graph::RecordedGraph& built, std::uint32_t task) {
  for (graph::NodeIndex i = 0; i < built.strands.size(); ++i)
    if (built.strands.task[i] == task && built.strands.cores[i] != 0) return i;
  return graph::kNoNode;
}

}  // namespace

TEST_CASE("a dependent task follows the last strand of what it depends on, and is ready no sooner") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  const Name writer = trace.create_after(0, 30, {{0x100, kInout}});
  const Name reader = trace.create_after(0, 40, {{0x100, kIn}});
  trace.run(1, 40, writer);
  trace.wait(0, 50);
  trace.create(1, 60);  // the writer goes on in another strand
  trace.end(1, 80);
  trace.run(0, 90, reader);
  trace.end(0, 100);
  trace.wait_end(0, 100);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "2@1 20-20", "1@0 30-40", "1@0 40-50", "3@1 40-60",
                                   "3@1 60-80", "4@0 90-100", "1@0 100-100"});
  CHECK(edges_into(built, 5) == Lines{"1>5n"});
  CHECK(edges_into(built, 7) == Lines{"3>7n", "6>7d"});
  // 30-40 the writer; 60-90 the writer's child; 80-90 the reader too, but no more than one worker was idle at 60-80.
  CHECK(built.delay_ns == 10 + 20 + 2 * 10 + 10);
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
}

TEST_CASE("mutexinoutset: the next begins when the one before is over, in the recorded order") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  const Name first = trace.create_after(0, 30, {{0x100, kMutex}});
  const Name second = trace.create_after(0, 40, {{0x100, kMutex}});
  trace.wait(0, 50);
  trace.barrier(1, 55);
  // The later one is first.
  trace.run(1, 60, second);
  const Name child = trace.create(1, 70);
  trace.end(1, 80);
  trace.run(0, 90, first);
  trace.end(0, 100);
  trace.run(1, 110, child);
  trace.end(1, 120);
  const auto built = trace.build();
  const graph::NodeIndex begins = first_strand(built, 3);
  CHECK(strands_of(built)[begins] == "3@0 90-100");
  const auto from = dependences_into(built, begins);
  REQUIRE(from.size() == 1);
  // The second task's strand after its creation, not its first.
  CHECK(strands_of(built)[from[0]] == "4@1 70-80");
  CHECK(dependences_into(built, first_strand(built, 4)).empty());
  CHECK(built.anomalies == 0);
}

TEST_CASE("many readers before many writers meet in a node, few have edges of their own") {
  for (const std::uint32_t readers : {3U, 6U}) {
    TraceBuilder trace(1);
    trace.begin_team(1);
    std::vector<Name> tasks;
    for (std::uint32_t i = 0; i < readers; ++i) tasks.push_back(trace.create_after(0, 30, {{0x100, kIn}}));
    for (std::uint32_t i = 0; i < 4; ++i)
      tasks.push_back(trace.create_after(0, 30, {{0x100, FORETASK_DEPENDENCE_INOUTSET}}));
    trace.wait(0, 40);
    std::int64_t now = 40;
    for (const Name& task : tasks) {
      trace.run(0, now, task);
      trace.end(0, now += 10);
    }
    trace.wait_end(0, now);
    const auto built = trace.build();
    CAPTURE(readers);
    std::size_t dependences = 0;
    std::size_t nodes = 0;
    for (const auto kind : built.edges.kind) dependences += kind == graph::EdgeKind::kDependence ? 1 : 0;
    for (const auto cores : built.strands.cores) nodes += cores == 0 ? 1 : 0;
    CHECK(nodes == (readers == 3 ? 0 : 1));
    CHECK(dependences == (readers == 3 ? 3 * 4 : 6 + 4));
    // The initial task's and the member's strands, one reader, one writer.
    CHECK(graph::longest_work_path(built).length == 10 + 10 + 10 + 10);
    CHECK(built.anomalies == 0);
    CHECK(contradiction(built).empty());
  }
}

TEST_CASE("a chain of dependences is a chain of strands") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  std::vector<Name> tasks;
  for (int i = 0; i < 100; ++i) tasks.push_back(trace.create_after(0, 30, {{0x100, kInout}, {0x200, kIn}}));
  trace.wait(0, 30);
  for (int i = 0; i < 100; ++i) {
    trace.run(0, 30 + 7 * i, tasks[static_cast<std::size_t>(i)]);
    trace.end(0, 30 + 7 * (i + 1));
  }
  trace.wait_end(0, 730);
  const auto built = trace.build();
  CHECK(graph::longest_work_path(built).length == 10 + 10 + 100 * 7);
  CHECK(built.anomalies == 0);
}

TEST_CASE("a taskwait with dependences waits for those alone") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  const Name awaited = trace.create_after(0, 30, {{0x100, kInout}});
  trace.create_after(0, 40, {{0x200, kInout}});
  trace.barrier(1, 45);
  const Name pseudo = trace.create_after(0, 50, {{0x100, kIn}}, FORETASK_TASK_WAIT);
  trace.run(1, 55, awaited);
  trace.end(1, 70);
  trace.event(0, 80, FORETASK_EVENT_DEPEND_WAIT_END, {pseudo.number, pseudo.stream});
  trace.create_after(0, 90, {{0x100, kInout}});
  const auto built = trace.build();
  CHECK(strands_of(built) ==
        Lines{"0@0 0-10", "1@0 20-30", "2@1 20-45", "1@0 30-40", "1@0 40-50", "3@1 55-70", "1@0 80-90", "1@0 90-90"});
  CHECK(edges_into(built, 6) == Lines{"4>6c", "5>6d"});
  CHECK(built.wait_tasks == 1);
  CHECK(built.create_task == 3);
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a list of dependences may come in several events, and is one task's") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  std::vector<Name> writers;
  foretask::test::Dependences all;
  for (std::uint64_t i = 0; i < 9; ++i) {
    writers.push_back(trace.create_after(0, 30, {{0x100 + 8 * i, kInout}}));
    all.emplace_back(0x100 + 8 * i, kIn);
  }
  // As a hook writes nine: four, four, one.
  const Name reader = trace.create_after(0, 40, {all.begin(), all.begin() + 4});
  for (const std::size_t from : {std::size_t{4}, std::size_t{8}}) {
    std::vector<std::uint32_t> payload = {from == 4 ? 4U : 1U};
    for (std::size_t i = from; i < std::min<std::size_t>(from + 4, 9); ++i)
      payload.insert(payload.end(), {static_cast<std::uint32_t>(all[i].first), 0, all[i].second});
    trace.event(0, 40, FORETASK_EVENT_DEPENDENCES, payload);
  }
  trace.wait(0, 50);
  std::int64_t now = 50;
  for (const Name& writer : writers) {
    trace.run(0, now, writer);
    trace.end(0, now += 10);
  }
  trace.run(0, now, reader);
  trace.end(0, now + 5);
  trace.wait_end(0, now + 5);
  const auto built = trace.build();
  const graph::NodeIndex begins = first_strand(built, 2 + 9);
  CHECK(dependences_into(built, begins).size() == 9);
  CHECK(built.delay_ns == 0);
  CHECK(built.anomalies == 0);
}
