// SPDX-License-Identifier: Apache-2.0
// A recorded graph, folded: tasks of one kernel at one depth of the task tree are one group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::report {

// What a strand adds to the span, in ns (Run::span_part_ns()).
using SpanPart = std::function<std::int64_t(analysis::NodeIndex strand)>;

struct FoldedGroup {
  struct Link {
    std::uint32_t group = 0;
    std::uint64_t count = 0;
  };

  std::uint32_t kernel = 0;  // of the graph
  // A task without a parent has depth 0. Deep ones are folded by ranges: 32 to 63, 64 to 127, 128 and deeper.
  std::uint32_t first_depth = 0;
  std::uint32_t last_depth = 0;
  std::uint64_t tasks = 0;
  std::int64_t work_ns = 0;
  std::int64_t span_ns = 0;      // its part of the critical path
  std::vector<Link> makers;      // whose tasks created its tasks, most first
  std::vector<Link> waited_for;  // on whose tasks its tasks depend, by number of dependences, most first
};

struct FoldedGraph {
  static constexpr std::uint32_t kDeepest = 255;  // this depth, and beyond

  // O(strands + edges), 3 bytes a task. Without groups where the graph has no tasks, or 65,535 kernels.
  FoldedGraph(const analysis::TaskGraph& graph, const SpanPart& span_part);

  std::vector<FoldedGroup> groups;  // by depth, then most work first
};

// "depth 3", "depth 32 to 63", "depth 128 and deeper".
[[nodiscard]] std::string depth_words(const FoldedGroup& group);

// A folded graph as a tree: each group below the one whose tasks created most of its tasks.
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
