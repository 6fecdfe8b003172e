// SPDX-License-Identifier: Apache-2.0
// The critical-path order of all nodes, largest bottom level first, ties by index, found once: the ready queue then is
// a set of ranks, and no key is compared again. A radix sort: linear, 16 bytes a node while it runs, 8 after.
#pragma once

#include <cstdint>

#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/bottom_levels.hpp"
#include "simulate/cores/page_array.hpp"

namespace foretask::simulate {

struct LevelRanks {
  PageArray<std::uint32_t> rank_of;        // one a node
  PageArray<analysis::NodeIndex> node_at;  // the other way round
};

[[nodiscard]] LevelRanks rank_by_level(BottomLevels levels);

}  // namespace foretask::simulate
