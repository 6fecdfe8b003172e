// SPDX-License-Identifier: Apache-2.0
// Graphs with small or deep tasks as plain calls. Small programs, whose strands are counted by hand.
#include "foretask/analysis/coarse_graph.hpp"

#include "catch.hpp"
#include "unit/graph/coarse/edges_of.hpp"
#include "unit/simulate/recording_of.hpp"

using namespace foretask::analysis;

namespace {

using Kind = Recording::Kind;
using Durations = std::vector<std::int64_t>;

CoarseGraph coarse_of(const TaskGraph& graph, const CutOff& cut_off) {
  auto coarse = coarsened(graph, cut_off);
  REQUIRE(coarse);
  return *std::move(coarse);
}

CoarseGraph with_grain(const TaskGraph& graph, std::int64_t grain_ns) {
  return coarse_of(graph, {.grain_ns = grain_ns, .kernels = {}});
}

CoarseGraph with_depth(const TaskGraph& graph, std::uint32_t depth) {
  return coarse_of(graph, {.depth = depth, .kernels = {}});
}

// Three tasks, one within the other: 10, 20 and 40 ns, and 1 ns wherever one goes on.
Recording nested_tasks() {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto child = run.create(root, 10, 1);
  const auto grandchild = run.create(child, 20, 1);
  run.create(grandchild, 40, 1);
  run.wait(grandchild, 1);
  run.wait(child, 1);
  run.wait(root, 1);
  return run;
}

}  // namespace

TEST_CASE("a small task becomes a part of the strand that created it, and so does what follows") {
  Recording run;
  const auto root = run.add_task(kNoNode, 10);
  run.create(root, 5, 20);
  run.wait(root, 3);
  const CoarseGraph coarse = with_grain(run.graph(), 6);
  CHECK(coarse.graph.duration_ns == Durations{10 + 5 + 20 + 3});
  CHECK(coarse.graph.edge_count() == 0);
  CHECK(coarse.graph.parent_of_task == std::vector<std::uint32_t>{kNoNode});
  CHECK(coarse.tasks == 0);
  CHECK(coarse.calls == 1);
}

TEST_CASE("a task of just the grain stays one") {
  Recording run;
  const auto root = run.add_task(kNoNode, 10);
  run.create(root, 5, 20);
  run.wait(root, 3);
  const CoarseGraph coarse = with_grain(run.graph(), 5);
  CHECK(coarse.tasks == 1);
  CHECK(coarse.calls == 0);
  CHECK(coarse.graph.duration_ns == run.graph().duration_ns);
  CHECK(edges_of(coarse.graph) == edges_of(run.graph()));
}

TEST_CASE("a boundary stays where a task that is left is created or waited for") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  run.create(root, 100, 2);
  run.create(root, 4, 8);  // a call
  run.wait(root, 16);
  const CoarseGraph coarse = with_grain(run.graph(), 10);
  CHECK(coarse.graph.duration_ns == Durations{1, 100, 2 + 4 + 8, 16});
  CHECK(edges_of(coarse.graph) ==
        Edges{{0, 1, Kind::kCreate}, {0, 2, Kind::kContinuation}, {1, 3, Kind::kJoin}, {2, 3, Kind::kContinuation}});
  CHECK(coarse.graph.task_of_node == std::vector<std::uint32_t>{0, 1, 0, 0});
}

TEST_CASE("the bounds of a task that calls nobody stay") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto child = run.create(root, 100, 1);
  run.next_strand(child, 7);  // as behind a lock
  run.create(root, 4, 8);
  run.wait(root, 16);
  CHECK(with_grain(run.graph(), 10).graph.duration_ns == Durations{1, 100, 1 + 4 + 8, 7, 16});
}

TEST_CASE("the work of all descendants counts, and those of a call are calls") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto child = run.create(root, 10, 1);
  run.create(child, 2, 1);
  run.wait(child, 1);
  run.wait(root, 1);
  // The child's own strands have 12 ns, with its own child's it is 14.
  CHECK(with_grain(run.graph(), 2).calls == 0);
  CHECK(with_grain(run.graph(), 3).calls == 1);
  const CoarseGraph partly = with_grain(run.graph(), 14);
  CHECK(partly.calls == 1);
  CHECK(partly.graph.duration_ns == Durations{1, 14, 1, 1});
  const CoarseGraph all = with_grain(run.graph(), 15);
  CHECK(all.calls == 2);
  CHECK(all.graph.duration_ns == Durations{17});
}

TEST_CASE("tasks below a depth become calls") {
  const TaskGraph graph = nested_tasks().graph();
  CHECK(with_depth(graph, 3).calls == 0);
  CHECK(with_depth(graph, 2).graph.duration_ns == Durations{1, 10, 1, 20 + 40 + 1 + 1, 1, 1, 1});
  CHECK(with_depth(graph, 1).graph.duration_ns == Durations{1, 10 + 62 + 1 + 1, 1, 1});
  CHECK(with_depth(graph, 1).tasks == 1);
  CHECK(with_depth(graph, 0).graph.duration_ns == Durations{77});
}

TEST_CASE("only tasks of the kernels meant become calls, and their descendants") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto one = run.create(root, 2, 1);
  const auto other = run.create(root, 3, 1);
  run.create(other, 1, 1);
  run.wait(root, 1);
  TaskGraph graph = run.graph();
  graph.kernel_names = {"main", "one", "other"};
  for (NodeIndex node = 0; node < graph.size(); ++node)
    graph.kernel[node] = graph.task_of_node[node] == one ? 1 : graph.task_of_node[node] == other ? 2 : 0;
  const CoarseGraph coarse = coarse_of(graph, {.grain_ns = 100, .kernels = {2}});
  CHECK(coarse.calls == 2);
  CHECK(coarse.tasks == 1);
  CHECK(coarse.graph.duration_ns == Durations{1, 2, 1 + 3 + 1 + 1 + 1, 1});
  // A strand belongs to the kernel that calls.
  CHECK(coarse.graph.kernel == std::vector<std::uint32_t>{0, 1, 0, 0});
}

TEST_CASE("a call may be of an untied task, and what it calls of a tied one") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto kept = run.create(root, 100, 1, false);
  run.create(kept, 3, 1, true);
  run.create(root, 5, 1, false);
  run.wait(root, 1);
  const CoarseGraph coarse = with_grain(run.graph(), 10);
  CHECK(coarse.graph.duration_ns == Durations{1, 104, 1 + 5 + 1, 1});
  CHECK(coarse.graph.task_is_untied == std::vector<std::uint8_t>{0, 1});
  CHECK(coarse.graph.parent_of_task == std::vector<std::uint32_t>{kNoNode, 0});
}

TEST_CASE("a coarse graph of a coarse graph is that of the first one") {
  const TaskGraph graph = nested_tasks().graph();
  const CoarseGraph twice = with_grain(with_grain(graph, 41).graph, 70);
  const CoarseGraph once = with_grain(graph, 70);
  CHECK(twice.graph.duration_ns == once.graph.duration_ns);
  CHECK(edges_of(twice.graph) == edges_of(once.graph));
  CHECK(twice.tasks == once.tasks);
}

TEST_CASE("what is no recording has no tasks to call") {
  TaskGraph graph;
  graph.duration_ns = {1, 2};
  graph.kernel = {0, 0};
  graph.kernel_names = {"a"};
  graph.first_successor = {0, 0, 0};
  const auto coarse = coarsened(graph, {.grain_ns = 10, .kernels = {}});
  REQUIRE_FALSE(coarse);
  CHECK(coarse.error().message() == "it is no recording: its tasks do not say which task created them");
}

TEST_CASE("a recording whose tasks begin before they are created is refused") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  run.create(root, 2, 1);
  TaskGraph graph = run.graph();
  graph.successors = {0, 2};
  CHECK_FALSE(coarsened(graph, {.grain_ns = 10, .kernels = {}}));
  graph = run.graph();
  graph.parent_of_task = {1, kNoNode};
  CHECK_FALSE(coarsened(graph, {.grain_ns = 10, .kernels = {}}));
  graph = run.graph();
  graph.edge_kind.pop_back();
  CHECK_FALSE(coarsened(graph, {.grain_ns = 10, .kernels = {}}));
}
