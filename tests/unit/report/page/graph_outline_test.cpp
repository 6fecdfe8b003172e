// SPDX-License-Identifier: Apache-2.0
#include "report/page/folded_graph.hpp"

#include "catch.hpp"

using namespace foretask::report;
using Groups = std::vector<std::size_t>;

namespace {

FoldedGroup group(std::uint32_t depth, std::int64_t work_ns, std::vector<FoldedGroup::Link> makers) {
  return {.kernel = 0,
          .first_depth = depth,
          .last_depth = depth,
          .tasks = 10,
          .work_ns = work_ns,
          .makers = std::move(makers)};
}

// 0 created 1 and 2; of group 3, 2 created most, and 4 is of group 3 and of itself.
FoldedGraph graph_of_five() {
  FoldedGraph graph({}, {});
  graph.groups = {group(0, 1, {}), group(1, 20, {{0, 5}}), group(1, 10, {{0, 5}}), group(2, 30, {{2, 6}, {1, 4}}),
                  group(3, 2, {{4, 8}, {3, 2}})};
  return graph;
}

}  // namespace

TEST_CASE("a group is below the one that created most of it, and never below itself") {
  const GraphOutline outline(graph_of_five(), 10);
  CHECK(outline.roots == Groups{0});
  CHECK(outline.children[0] == Groups{2, 1});  // 10 + 30 + 2 below it, and 20
  CHECK(outline.children[1].empty());
  CHECK(outline.children[2] == Groups{3});
  CHECK(outline.children[3] == Groups{4});
  CHECK(outline.work_ns == std::vector<std::int64_t>{63, 20, 42, 32, 2});
  CHECK(outline.left_out == 0);
}

TEST_CASE("the groups with least work below them are left out, and counted") {
  const GraphOutline outline(graph_of_five(), 3);
  CHECK(outline.roots == Groups{0});
  CHECK(outline.children[0] == Groups{2});
  CHECK(outline.children[2] == Groups{3});
  CHECK(outline.children[3].empty());
  CHECK(outline.left_out == 2);  // 1 and 4
  CHECK(outline.left_out_tasks == 20);
  CHECK(outline.left_out_work_ns == 22);
}
