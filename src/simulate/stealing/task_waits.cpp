// SPDX-License-Identifier: Apache-2.0
#include "simulate/stealing/task_waits.hpp"

namespace foretask::simulate {

using analysis::kNoNode;

std::optional<TaskTree> TaskTree::of(const std::vector<std::uint32_t>& parent_of_task) {
  const std::size_t count = parent_of_task.size();
  TaskTree tree;
  tree.size_.assign(count, 1);
  for (std::size_t task = count; task-- > 0;) {
    const std::uint32_t parent = parent_of_task[task];
    if (parent == kNoNode) continue;
    if (parent >= task) return std::nullopt;
    tree.size_[parent] += tree.size_[task];
  }
  tree.place_.resize(count);
  std::vector<std::uint32_t> next(count);  // the place of a task's next child
  std::uint32_t next_root = 0;
  for (std::size_t task = 0; task < count; ++task) {
    const std::uint32_t parent = parent_of_task[task];
    std::uint32_t& place = parent == kNoNode ? next_root : next[parent];
    tree.place_[task] = place;
    next[task] = place + 1;
    place += tree.size_[task];
  }
  return tree;
}

}  // namespace foretask::simulate
