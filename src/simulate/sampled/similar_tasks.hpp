// SPDX-License-Identifier: Apache-2.0
// Which tasks' times may stand for each other: docs/makespans.md, "Similar tasks".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "graph/task_strands.hpp"

namespace foretask::simulate {

// Groups of tasks of one kernel, with the same parameters, whose strands end alike (creating a task, waiting). Where
// recursion depth, the number of descendants or the order of creation explains their times, a group has tasks of one
// class of it alone.
struct SimilarTasks {
  struct Group {
    std::uint32_t first = 0;
    std::uint32_t size = 0;
  };

  std::vector<Group> groups{{}};             // the first is empty
  std::vector<std::uint32_t> members;        // tasks, group by group
  std::vector<std::uint32_t> group_of_task;  // 0: none is like it, or it has no strand

  // HOT: the task's group, itself included: all have the same number of strands. Empty where none is like it.
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t task) const noexcept {
    const Group& group = groups[group_of_task[task]];
    return {members.data() + group.first, group.size};
  }
};

// O(tasks log tasks). Throws std::bad_alloc.
[[nodiscard]] SimilarTasks find_similar_tasks(const analysis::TaskGraph& graph, const graph::TaskStrands& strands);

}  // namespace foretask::simulate
