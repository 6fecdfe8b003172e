// SPDX-License-Identifier: Apache-2.0
#include "report/page/folded_graph.hpp"

#include "catch.hpp"

using namespace foretask;
using namespace foretask::report;
using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;

namespace {

// main (task 0, strands 0 and 3) creates two sorts (tasks 1 and 2); one creates a sort (3), the other a merge (4).
TaskGraph tree() {
  TaskGraph graph;
  graph.kernel_names = {"main", "sort", "merge"};
  graph.duration_ns = {10, 20, 30, 5, 7, 4};
  graph.kernel = {0, 1, 1, 0, 1, 2};
  graph.task_of_node = {0, 1, 2, 0, 3, 4};
  graph.parent_of_task = {kNoNode, 0, 0, 1, 2};
  graph.first_successor = {0, 2, 3, 4, 4, 4, 4};
  graph.successors = {1, 2, 4, 5};
  graph.edge_kind = {EdgeKind::kCreate, EdgeKind::kCreate, EdgeKind::kCreate, EdgeKind::kCreate};
  return graph;
}

// Strands 0, 2 and 5 are the longest path.
std::int64_t on_path(const TaskGraph& graph, NodeIndex node) {
  return node == 0 || node == 2 || node == 5 ? graph.duration_ns[node] : 0;
}

}  // namespace

TEST_CASE("tasks of one kernel at one depth are a group") {
  const TaskGraph graph = tree();
  const FoldedGraph folded(graph, [&](NodeIndex node) { return on_path(graph, node); });
  REQUIRE(folded.groups.size() == 4);
  const FoldedGroup& main = folded.groups[0];
  CHECK(main.kernel == 0);
  CHECK(main.first_depth == 0);
  CHECK(main.tasks == 1);
  CHECK(main.work_ns == 15);
  CHECK(main.span_ns == 10);
  CHECK(main.makers.empty());
  const FoldedGroup& sorts = folded.groups[1];
  CHECK(sorts.kernel == 1);
  CHECK(sorts.first_depth == 1);
  CHECK(sorts.tasks == 2);
  CHECK(sorts.work_ns == 50);
  CHECK(sorts.span_ns == 30);
  REQUIRE(sorts.makers.size() == 1);
  CHECK(sorts.makers[0].group == 0);
  CHECK(sorts.makers[0].count == 2);
  const FoldedGroup& deeper = folded.groups[2];
  CHECK(deeper.kernel == 1);
  CHECK(deeper.first_depth == 2);
  CHECK(deeper.work_ns == 7);
  CHECK(deeper.span_ns == 0);
  REQUIRE(deeper.makers.size() == 1);
  CHECK(deeper.makers[0].group == 1);
  const FoldedGroup& merge = folded.groups[3];
  CHECK(merge.kernel == 2);
  CHECK(merge.work_ns == 4);
  CHECK(merge.span_ns == 4);
  CHECK(merge.waited_for.empty());
}

TEST_CASE("what has no worker is no work of its group") {
  TaskGraph graph = tree();
  graph.cores = {1, 0, 1, 1, 1, 1};
  const FoldedGraph folded(graph, [](NodeIndex) { return 0; });
  CHECK(folded.groups[1].work_ns == 30);
}

TEST_CASE("deep tasks are folded by ranges of depths") {
  TaskGraph graph;
  graph.kernel_names = {"f"};
  for (std::uint32_t task = 0; task < 300; ++task) {
    graph.duration_ns.push_back(1);
    graph.kernel.push_back(0);
    graph.task_of_node.push_back(task);
    graph.parent_of_task.push_back(task == 0 ? kNoNode : task - 1);
  }
  graph.first_successor.assign(301, 0);
  const FoldedGraph folded(graph, [](NodeIndex) { return 1; });
  REQUIRE(folded.groups.size() == 35);
  CHECK(folded.groups[31].tasks == 1);
  CHECK(depth_words(folded.groups[31]) == "depth 31");
  CHECK(folded.groups[32].tasks == 32);
  CHECK(depth_words(folded.groups[32]) == "depth 32 to 63");
  CHECK(folded.groups[33].tasks == 64);
  CHECK(folded.groups[34].tasks == 172);
  CHECK(folded.groups[34].work_ns == 172);
  CHECK(folded.groups[34].span_ns == 172);
  CHECK(depth_words(folded.groups[34]) == "depth 128 and deeper");
  // 171 of them were created in their own range.
  REQUIRE(folded.groups[34].makers.size() == 2);
  CHECK(folded.groups[34].makers[0].group == 34);
  CHECK(folded.groups[34].makers[0].count == 171);
  CHECK(folded.groups[34].makers[1].group == 33);
  CHECK(folded.groups[34].makers[1].count == 1);
}

TEST_CASE("dependences are counted between groups") {
  // One task creates a, b and b; both b depend on a, the second one on the first too.
  TaskGraph graph;
  graph.kernel_names = {"root", "a", "b"};
  graph.duration_ns = {1, 2, 3, 4};
  graph.kernel = {0, 1, 2, 2};
  graph.task_of_node = {0, 1, 2, 3};
  graph.parent_of_task = {kNoNode, 0, 0, 0};
  graph.first_successor = {0, 3, 5, 6, 6};
  graph.successors = {1, 2, 3, 2, 3, 3};
  graph.edge_kind = {EdgeKind::kCreate,     EdgeKind::kCreate,     EdgeKind::kCreate,
                     EdgeKind::kDependence, EdgeKind::kDependence, EdgeKind::kDependence};
  const FoldedGraph folded(graph, [](NodeIndex) { return 0; });
  REQUIRE(folded.groups.size() == 3);
  const FoldedGroup& b = folded.groups[1];  // 7 ns, a has 2
  CHECK(b.kernel == 2);
  REQUIRE(b.waited_for.size() == 2);
  CHECK(b.waited_for[0].group == 2);
  CHECK(b.waited_for[0].count == 2);
  CHECK(b.waited_for[1].group == 1);
  CHECK(b.waited_for[1].count == 1);
}

TEST_CASE("a graph without tasks has no groups") {
  TaskGraph graph;
  graph.kernel_names = {"a"};
  graph.duration_ns = {1};
  graph.kernel = {0};
  graph.first_successor = {0, 0};
  CHECK(FoldedGraph(graph, [](NodeIndex) { return 0; }).groups.empty());
}
