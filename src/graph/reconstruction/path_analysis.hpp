// SPDX-License-Identifier: Apache-2.0
// Longest paths through a recorded graph: the span, the burdened span (Cilkview: He, Leiserson, Leiserson, SPAA 2010,
// section 4), the path on which the scheduler lost most, and the chain that led to the last strand to end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/recorded_graph.hpp"

namespace foretask::graph {

struct Path {
  std::int64_t length = 0;
  std::vector<NodeIndex> nodes;  // first to last
};

// By net duration, or by `weight_ns`, one a strand. O(strands + edges), 12 bytes a strand for the time of the call, as
// the next two.
[[nodiscard]] Path longest_work_path(const RecordedGraph& graph);
[[nodiscard]] Path longest_work_path(const RecordedGraph& graph, const std::vector<std::int64_t>& weight_ns);

// By the time between a strand's being ready (its last predecessor's end) and its start.
[[nodiscard]] Path largest_delay_path(const RecordedGraph& graph);

// Longest path by `weight_ns` when each continuation after a creation, and each join, costs `burden_ns` more.
[[nodiscard]] std::int64_t burdened_span_ns(const RecordedGraph& graph, std::int64_t burden_ns,
                                            const std::vector<std::int64_t>& weight_ns);

// From the strand that ended last, always to the predecessor that ended last.
[[nodiscard]] Path last_finisher_path(const RecordedGraph& graph);

// Edges by source: what TaskGraph holds. Consumes `edges`.
void fill_successors(EdgesByTarget&& edges, std::size_t nodes, analysis::TaskGraph& into);

// Where a path waited, and what the workers did meanwhile.
// The longest gaps of a path whose strands ran one after the other, longest first. Kernels are those of the graph.
// O(strands + gaps).
[[nodiscard]] std::vector<analysis::PathGap> longest_gaps(const RecordedGraph& graph, const Path& path,
                                                          std::size_t most);

}  // namespace foretask::graph
