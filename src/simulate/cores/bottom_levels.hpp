// SPDX-License-Identifier: Apache-2.0
// Bottom levels: a node's duration plus the longest path behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/page_array.hpp"
#include "simulate/cores/pending_counts.hpp"

namespace foretask::simulate {

struct BottomLevels {
  PageArray<std::uint64_t> ns;  // one a node
  std::uint64_t highest_ns = 0;
};

// Of the durations given, which fit in 63 bits as a sum. Counts the predecessors into `pending` (all 0 before) on the
// way. One pass over the edges where the nodes are numbered topologically, three where not. Nothing where the graph
// has a cycle.
[[nodiscard]] std::optional<BottomLevels> bottom_levels(const analysis::TaskGraph& graph,
                                                        std::span<const std::int64_t> duration_ns,
                                                        PendingCounts& pending);

}  // namespace foretask::simulate
