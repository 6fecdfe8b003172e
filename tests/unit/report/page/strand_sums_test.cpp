// SPDX-License-Identifier: Apache-2.0
#include "report/page/strand_sums.hpp"

#include <vector>

#include "catch.hpp"

using foretask::analysis::StrandPlace;
using foretask::analysis::TaskGraph;
using foretask::report::StrandSums;
using foretask::report::Timeline;

namespace {

// Two tasks of kernel 0, the first of them of two strands, and one of kernel 1; a node that has no core.
TaskGraph some_graph() {
  TaskGraph graph;
  graph.kernel_names = {"a", "b"};
  graph.duration_ns = {100, 28, 1, 16, 1'000'000};
  graph.kernel = {0, 0, 0, 1, 1};
  graph.cores = {1, 1, 1, 1, 0};
  graph.task_of_node = {0, 0, 1, 2, 2};
  graph.parent_of_task = {foretask::analysis::kNoNode, 0, 0};
  return graph;
}

StrandSums sums_of(const TaskGraph& graph) {
  const std::vector<std::uint32_t> workers{0, 1, 1, 0, 0};
  return StrandSums(Timeline{.graph = graph,
                             .places = [&](std::uint32_t node) { return StrandPlace{.worker = workers[node]}; },
                             .program = "some",
                             .workers = 2});
}

}  // namespace

TEST_CASE("workers are busy as long as their strands take") {
  CHECK(sums_of(some_graph()).busy_ns == std::vector<std::int64_t>{116, 29});
}

TEST_CASE("a task's time is that of its strands") {
  const StrandSums sums = sums_of(some_graph());
  REQUIRE(sums.kernels.size() == 2);
  CHECK(sums.kernels[0].tasks == 2);
  CHECK(sums.kernels[0].counts[0] == 1);   // 1 ns
  CHECK(sums.kernels[0].counts[28] == 1);  // 128 ns: 2^(28 / 4)
  CHECK(sums.kernels[1].tasks == 1);
  CHECK(sums.kernels[1].counts[16] == 1);  // 16 ns: 2^(16 / 4)
}

TEST_CASE("without tasks each strand counts") {
  TaskGraph graph = some_graph();
  graph.task_of_node.clear();
  graph.parent_of_task.clear();
  const StrandSums sums = sums_of(graph);
  CHECK(sums.kernels[0].tasks == 3);
  CHECK(sums.kernels[0].counts[26] == 1);  // 100 ns: 2^(26.57 / 4)
  CHECK(sums.kernels[0].counts[19] == 1);  // 28 ns: 2^(19.2 / 4)
}
