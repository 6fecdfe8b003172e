// SPDX-License-Identifier: Apache-2.0
// A recorded graph, folded: tasks of one kernel at one depth of the task tree are one group.
#pragma once

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

}  // namespace foretask::report
