// SPDX-License-Identifier: Apache-2.0
// Who descends from whom among a recording's tasks, in constant time: each task has its place in a walk of the tree
// that visits parents first, so that its descendants are the places right behind it. 8 bytes a task.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::simulate {

// A task and its descendants, as places of the walk.
struct Subtree {
  std::uint32_t place = 0;
  std::uint32_t size = 0;

  [[nodiscard]] bool holds_below_its_root(std::uint32_t other) const noexcept {
    // Unsigned: a place before this one's wraps round to a large distance.
    const std::uint32_t distance = other - place;
    return distance != 0 && distance < size;
  }
};

class TaskTree {
 public:
  // Nothing where a parent was created after its child.
  static std::optional<TaskTree> of(const std::vector<std::uint32_t>& parent_of_task);

  // HOT
  [[nodiscard]] std::uint32_t place(std::uint32_t task) const noexcept { return place_[task]; }
  [[nodiscard]] Subtree subtree(std::uint32_t task) const noexcept { return {place_[task], size_[task]}; }

 private:
  std::vector<std::uint32_t> place_;
  std::vector<std::uint32_t> size_;  // of the task's subtree, itself included
};

}  // namespace foretask::simulate
