// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/task_graph.hpp"

#include <limits>

#include "catch.hpp"
#include "graph/task_graph_order.hpp"

using namespace foretask::analysis;

namespace {

// 2 -> 0 -> 3, 2 -> 1 -> 3: numbered against its edges.
TaskGraph diamond() {
  TaskGraph graph;
  graph.duration_ns = {10, 25, 5, 7};
  graph.kernel = {0, 0, 0, 0};
  graph.kernel_names = {"k"};
  graph.first_successor = {0, 1, 2, 4, 4};
  graph.successors = {3, 3, 0, 1};
  return graph;
}

}  // namespace

TEST_CASE("work is the sum and span the longest path") {
  const TaskGraph graph = diamond();
  CHECK(work_ns(graph) == 47);
  CHECK(span_ns(graph) == 37);
  TaskGraph classes_only = graph;
  classes_only.duration_ns[1] = kNoDuration;
  CHECK(work_ns(classes_only) == 22);
  CHECK(span_ns(classes_only) == 22);
  CHECK(span_ns(TaskGraph{.first_successor = {0}}) == 0);
}

TEST_CASE("a sum past 63 bits stays at the largest") {
  TaskGraph graph = diamond();
  graph.duration_ns = {std::numeric_limits<std::int64_t>::max(), 1, 1, 1};
  CHECK(work_ns(graph) == std::numeric_limits<std::int64_t>::max());
  CHECK(span_ns(graph) == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("a topological order has every node behind its predecessors") {
  const TaskGraph graph = diamond();
  CHECK(foretask::graph::topological_order(graph) == std::vector<NodeIndex>{2, 0, 1, 3});
  CHECK(foretask::graph::node_on_cycle(graph) == kNoNode);
}

TEST_CASE("a cycle is left out of the order, and a node on it is found") {
  TaskGraph graph = diamond();
  graph.successors = {3, 2, 0, 1};  // 1 -> 2 -> 1; 0 and 3 come after it
  CHECK(foretask::graph::topological_order(graph).empty());
  const NodeIndex node = foretask::graph::node_on_cycle(graph);
  CHECK((node == 1 || node == 2));
}
