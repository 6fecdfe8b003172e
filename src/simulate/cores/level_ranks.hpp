// SPDX-License-Identifier: Apache-2.0
// The critical-path order of all nodes, largest bottom level first, ties by index, found once: the ready queue then is
// a set of ranks, and no key is compared again. A radix sort: linear, 16 bytes a node while it runs, 8 after.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/huge_pages.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/pending_counts.hpp"

namespace foretask::simulate {

// Bottom levels: a node's duration plus the longest path behind it.
struct BottomLevels {
  base::PagedVector<std::uint64_t> ns;  // one a node
  std::uint64_t highest_ns = 0;
};

// Of the durations given, which fit in 63 bits as a sum. Counts the predecessors into `pending` (all 0 before) on the
// way. One pass over the edges where the nodes are numbered topologically, three where not. Nothing where the graph
// has a cycle.
[[nodiscard]] std::optional<BottomLevels> bottom_levels(const analysis::TaskGraph& graph,
                                                        std::span<const std::int64_t> duration_ns,
                                                        PendingCounts& pending);

struct LevelRanks {
  base::PagedVector<std::uint32_t> rank_of;        // one a node
  base::PagedVector<analysis::NodeIndex> node_at;  // the other way round
};

[[nodiscard]] LevelRanks rank_by_level(BottomLevels levels);

}  // namespace foretask::simulate
