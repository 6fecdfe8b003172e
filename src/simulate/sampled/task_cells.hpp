// SPDX-License-Identifier: Apache-2.0
// Tasks alike, whose times may stand for each other: docs/makespans.md, "Tasks alike".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "simulate/stealing/task_strands.hpp"

namespace foretask::simulate {

// Fewer tasks say little of a spread.
inline constexpr std::uint32_t kFewestOfCell = 5;

// All have the same number of strands; members are in order of their times.
struct TaskCell {
  std::uint32_t first = 0;  // of TaskCells::members
  std::uint32_t size = 0;   // at least 2
  std::uint32_t kernel = 0;
};

inline constexpr std::uint32_t kNoCell = 0xffffffffU;

struct TaskCells {
  std::vector<TaskCell> cells;
  std::vector<std::uint32_t> members;       // tasks, cell by cell
  std::vector<std::uint32_t> cell_of_task;  // kNoCell: none is like it, or it has no strand

  [[nodiscard]] std::span<const std::uint32_t> members_of(const TaskCell& cell) const noexcept {
    return {members.data() + cell.first, cell.size};
  }
};

// Sum over its strands, in ns.
[[nodiscard]] std::int64_t task_time_ns(const analysis::TaskGraph& graph, std::span<const analysis::NodeIndex> strands);

// Puts together tasks of one kernel, with the same parameters, whose strands end alike (creating a task, waiting). Of
// recursive tasks those of one depth, where times follow it; of these those of one class of what explains more than
// half of the variance that is left: the number of descendants, the parent's time, the order of creation. O(tasks log
// tasks).
[[nodiscard]] TaskCells find_task_cells(const analysis::TaskGraph& graph, const TaskStrands& strands);

}  // namespace foretask::simulate
