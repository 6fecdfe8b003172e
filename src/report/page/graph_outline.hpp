// SPDX-License-Identifier: Apache-2.0
// A folded graph as a tree: each group below the one whose tasks created most of its tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/page/folded_graph.hpp"

namespace foretask::report {

struct GraphOutline {
  // At most `most` groups: with what is below them, those with most work.
  GraphOutline(const FoldedGraph& graph, std::size_t most);

  std::vector<std::size_t> roots;                  // of those shown, most work first
  std::vector<std::vector<std::size_t>> children;  // by group; of those shown, most work first
  std::vector<std::int64_t> work_ns;               // by group, with all below it
  std::size_t left_out = 0;                        // groups
  std::uint64_t left_out_tasks = 0;
  std::int64_t left_out_work_ns = 0;
};

}  // namespace foretask::report
