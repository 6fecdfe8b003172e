// SPDX-License-Identifier: Apache-2.0
// Small tasks as plain calls, where they have dependences, are detached, or open parallel regions.
#include <algorithm>

#include "catch.hpp"
#include "foretask/analysis/coarse_graph.hpp"
#include "foretask/analysis/simulate.hpp"
#include "unit/graph/coarse/edges_of.hpp"
#include "unit/simulate/recording_of.hpp"
#include "unit/simulate/team_graph_of.hpp"

using namespace foretask::analysis;

namespace {

using Kind = Recording::Kind;
using Durations = std::vector<std::int64_t>;

CoarseGraph with_grain(const TaskGraph& graph, std::int64_t grain_ns) {
  auto coarse = coarsened(graph, {.grain_ns = grain_ns, .kernels = {}});
  REQUIRE(coarse);
  return *std::move(coarse);
}

bool has_edge(const TaskGraph& graph, NodeIndex from, NodeIndex to, EdgeKind kind) {
  const Edges edges = edges_of(graph);
  return std::find(edges.begin(), edges.end(), std::tuple(from, to, kind)) != edges.end();
}

// Waits for `elder`.
std::uint32_t create_behind(Recording& run, std::uint32_t parent, std::uint32_t elder, std::int64_t duration) {
  const auto task = run.create(parent, duration, 1);
  run.add_edge(run.tasks[elder].last, run.tasks[task].first, Kind::kDependence);
  return task;
}

// Of these nodes no worker runs any.
TaskGraph with_nodes_of_no_worker(const Recording& run, const std::vector<NodeIndex>& nodes) {
  TaskGraph graph = run.graph();
  graph.cores.assign(graph.size(), 1);
  for (const NodeIndex node : nodes) graph.cores[node] = 0;
  return graph;
}

}  // namespace

TEST_CASE("a small task that waits for a large one stays a task, and so does what waits for it") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto large = run.create(root, 100, 1);
  const auto behind = create_behind(run, root, large, 2);
  create_behind(run, root, behind, 3);
  run.wait(root, 1);
  const CoarseGraph coarse = with_grain(run.graph(), 10);
  CHECK(coarse.tasks == 3);
  CHECK(coarse.calls == 0);
  CHECK(coarse.waiting == 2);
  CHECK(edges_of(coarse.graph) == edges_of(run.graph()));
}

TEST_CASE("a small task that waits for a call is called behind it") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto first = run.create(root, 5, 1);
  const auto second = create_behind(run, root, first, 2);
  create_behind(run, root, second, 100);  // stays; created behind what it waits for
  run.wait(root, 1);
  const CoarseGraph coarse = with_grain(run.graph(), 10);
  CHECK(coarse.calls == 2);
  CHECK(coarse.waiting == 0);
  CHECK(coarse.graph.duration_ns == Durations{1 + 5 + 1 + 2 + 1, 100, 1, 1});
  CHECK(edges_of(coarse.graph) ==
        Edges{{0, 1, Kind::kCreate}, {0, 2, Kind::kContinuation}, {1, 3, Kind::kJoin}, {2, 3, Kind::kContinuation}});
}

TEST_CASE("a task whose parent is a call is one, whatever it waits for among its siblings") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto parent = run.create(root, 1, 1);
  const auto elder = run.create(parent, 4, 1);
  create_behind(run, parent, elder, 2);
  run.wait(parent, 1);
  run.wait(root, 1);
  CHECK(with_grain(run.graph(), 100).graph.duration_ns == Durations{13});
}

TEST_CASE("of tasks that exclude each other a call comes before those that ran behind it") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const NodeIndex creator = run.tasks[root].last;
  const NodeIndex later = run.next_strand(root, 2);
  run.next_strand(root, 4);
  const auto call = run.add_task(root, 8, later);
  const auto kept = run.add_task(root, 100, creator);  // created before, ran behind
  run.add_edge(run.tasks[call].last, run.tasks[kept].first, Kind::kDependence);
  const CoarseGraph coarse = with_grain(run.graph(), 10);
  CHECK(coarse.graph.duration_ns == Durations{1, 2 + 8, 4, 100});
  CHECK(has_edge(coarse.graph, 1, 3, Kind::kDependence));
}

TEST_CASE("a taskwait with dependences on calls alone is no boundary") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto small = run.create(root, 2, 4);
  const NodeIndex behind = run.next_strand(root, 8);
  run.add_edge(run.tasks[small].last, behind, Kind::kDependence);
  CHECK(with_grain(run.graph(), 10).graph.duration_ns == Durations{15});
}

TEST_CASE("a node for many tasks that others wait for goes where all of them are calls") {
  const auto program = [](std::int64_t last_reader_ns) {
    Recording run;
    const auto root = run.add_task(kNoNode, 1);
    std::vector<std::uint32_t> readers;
    for (int i = 0; i < 4; ++i) readers.push_back(run.create(root, 1, 1));
    readers.push_back(run.create(root, last_reader_ns, 1));
    const NodeIndex join = run.add_node(root, 0);
    for (const auto reader : readers) run.add_edge(run.tasks[reader].last, join, Kind::kDependence);
    for (int i = 0; i < 2; ++i) {
      const auto writer = run.create(root, 100, 1);
      run.add_edge(join, run.tasks[writer].first, Kind::kDependence);
    }
    return with_nodes_of_no_worker(run, {join});
  };
  const CoarseGraph all = with_grain(program(1), 10);
  CHECK(all.graph.duration_ns == Durations{1 + 5 * 2, 100, 1, 100, 1});
  CHECK(all.graph.edge_count() == 4);  // creations and what follows them
  CHECK(all.graph.cores.empty());
  // A large reader: the node stays for its sake.
  const CoarseGraph some = with_grain(program(50), 10);
  CHECK(some.graph.duration_ns == Durations{1 + 4 * 2, 50, 1, 0, 100, 1, 100, 1});
  CHECK(has_edge(some.graph, 1, 3, Kind::kDependence));
  CHECK(has_edge(some.graph, 3, 4, Kind::kDependence));
  CHECK(has_edge(some.graph, 3, 6, Kind::kDependence));
  CHECK_FALSE(has_edge(some.graph, 0, 3, Kind::kDependence));
  CHECK(some.graph.cores == std::vector<std::uint8_t>{1, 1, 1, 0, 1, 1, 1, 1});
}

TEST_CASE("a detached task stays one, and so do the tasks around it") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto around = run.create(root, 2, 4);
  const auto detached = run.create(around, 8, 1);
  run.create(around, 3, 1);  // a call
  const auto fulfiller = run.create(root, 5, 1);
  const NodeIndex end = run.add_node(detached, 0);
  run.add_edge(run.tasks[detached].last, end, Kind::kJoin);
  run.add_edge(run.tasks[fulfiller].last, end, Kind::kDependence);
  const NodeIndex behind = run.next_strand(root, 1);
  run.add_edge(end, behind, Kind::kJoin);
  const CoarseGraph coarse = with_grain(with_nodes_of_no_worker(run, {end}), 100);
  CHECK(coarse.whole == 2);
  CHECK(coarse.tasks == 2);
  CHECK(coarse.calls == 2);
  // The root, the task around, the root with the fulfiller and what follows it, the detached one, ...
  CHECK(coarse.graph.duration_ns == Durations{1, 2, 4 + 5, 8, 1 + 3 + 1, 1, 0, 1});
  CHECK(has_edge(coarse.graph, 3, 6, Kind::kJoin));
  CHECK(has_edge(coarse.graph, 2, 6, Kind::kDependence));
  CHECK(has_edge(coarse.graph, 6, 7, Kind::kJoin));
}

namespace {

// A task of 5 + 9 ns opens a region; its first thread creates two tasks of 3 ns.
Recording region_in_task(int threads) {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto task = run.create(root, 5, 1);
  const NodeIndex fork = run.tasks[task].last;
  std::vector<std::uint32_t> team;
  for (int i = 0; i < threads; ++i) team.push_back(run.add_task(kNoNode, 7, fork));
  run.create(team.front(), 3, 1);
  run.create(team.front(), 3, 1);
  run.wait(team.front(), 1);
  const NodeIndex behind = run.next_strand(task, 9);
  for (const auto member : team) run.add_edge(run.tasks[member].last, behind, Kind::kJoin);
  run.wait(root, 1);
  return run;
}

}  // namespace

TEST_CASE("a region of one thread is a part of the call that opens it") {
  CHECK(with_grain(region_in_task(1).graph(), 100).graph.duration_ns == Durations{3 + 5 + 7 + 3 + 1 + 3 + 1 + 1 + 9});
  // What it takes counts: 14 ns of the task, 16 of the region.
  CHECK(with_grain(region_in_task(1).graph(), 30).calls == 2);
  CHECK(with_grain(region_in_task(1).graph(), 31).calls == 3);
}

TEST_CASE("a task that opens a region of several threads stays one") {
  const CoarseGraph coarse = with_grain(region_in_task(2).graph(), 100);
  CHECK(coarse.whole == 1);
  CHECK(coarse.calls == 2);
  CHECK(coarse.graph.duration_ns == Durations{1, 5, 1, 7 + 3 + 1 + 3 + 1 + 1, 7, 9, 1});
}

TEST_CASE("a task that opens a region which more threads would divide stays one") {
  const Recording run = region_in_task(1);
  TaskGraph graph = run.graph();
  graph.team.strands = {{.node = run.tasks[2].first, .thread = 0}};
  graph.team.phases = {{.threads = 1, .end_strand = 1}};
  CHECK(with_grain(graph, 100).whole == 1);
  graph.team.phases.front().divides = false;
  CHECK(with_grain(graph, 100).whole == 0);
}

TEST_CASE("calls in a loop become a part of the thread's share of it") {
  Recording run;
  const auto initial = run.add_task(kNoNode, 1);
  const auto thread = run.add_task(kNoNode, 2, run.tasks[initial].last);
  const auto share = run.add_task(kNoNode, 10);
  run.add_edge(run.tasks[thread].last, run.tasks[share].first, Kind::kContinuation);
  run.add_task(thread, 20, run.tasks[share].last);
  run.next_strand(share, 30);
  const NodeIndex behind = run.add_node(thread, 4);
  run.add_edge(run.tasks[share].last, behind, Kind::kContinuation);
  const CoarseGraph coarse = with_grain(run.graph(), 100);
  CHECK(coarse.calls == 1);
  CHECK(coarse.graph.duration_ns == Durations{1, 2, 10 + 20 + 30, 4});
  CHECK(coarse.graph.task_of_node == std::vector<std::uint32_t>{0, 1, 2, 1});
}

TEST_CASE("a team's work divides as before where tasks elsewhere are calls") {
  Recording run;
  const auto initial = run.add_task(kNoNode, 10);
  run.create(initial, 5, 3);
  run.wait(initial, 2);
  const NodeIndex fork = run.tasks[initial].last;
  const auto one = run.add_task(kNoNode, 100, fork);
  const auto other = run.add_task(kNoNode, 50, fork);
  const NodeIndex behind = run.next_strand(initial, 10);
  for (const auto member : {one, other}) run.add_edge(run.tasks[member].last, behind, Kind::kJoin);
  TaskGraph graph = run.graph();
  graph.team.strands = {{.node = run.tasks[one].first, .thread = 0}, {.node = run.tasks[other].first, .thread = 1}};
  graph.team.phases = {{.threads = 2, .end_strand = 2}};
  graph.team_start = fork;
  const CoarseGraph coarse = with_grain(graph, 100);
  CHECK(coarse.graph.duration_ns == Durations{20, 100, 50, 10});
  CHECK(coarse.graph.team_start == 0);
  CHECK(coarse.graph.team.strands.front().node == 1);
  CHECK(coarse.graph.team.strands.back().node == 2);
  const TaskGraph alone = team_graph_of({100, 50});
  for (const std::uint32_t cores : {1U, 2U, 3U, 8U}) {
    CAPTURE(cores);
    const auto expected = simulate(alone, {.cores = cores});
    const auto found = simulate(coarse.graph, {.cores = cores});
    CHECK(found->makespan_ns == expected->makespan_ns + 10);  // 20 ns before the region, not 10
  }
}

TEST_CASE("a thread's strands in a phase that divides are not joined, others are") {
  Recording run;
  const auto thread = run.add_task(kNoNode, 1);
  run.create(thread, 2, 4);
  const NodeIndex first = run.next_strand(thread, 8);
  const NodeIndex second = run.next_strand(thread, 16);
  TaskGraph graph = run.graph();
  graph.team.strands = {{.node = first}, {.node = second}};
  graph.team.phases = {{.threads = 1, .end_strand = 2}};
  CHECK(with_grain(graph, 10).graph.duration_ns == Durations{7, 8, 16});
  graph.team.phases.front().divides = false;
  const CoarseGraph joined = with_grain(graph, 10);
  CHECK(joined.graph.duration_ns == Durations{31});
  CHECK(joined.graph.team.strands.empty());
}
