// SPDX-License-Identifier: Apache-2.0
// The nodes of each task that take a worker's time, in order of index: a task's strands, or the node that it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::simulate {

class TaskStrands {
 public:
  explicit TaskStrands(const analysis::TaskGraph& graph);

  [[nodiscard]] std::size_t tasks() const noexcept { return first_.size() - 1; }
  // Empty for a task that has no time on a plain core.
  [[nodiscard]] std::span<const analysis::NodeIndex> of(std::size_t task) const noexcept {
    return {nodes_.data() + first_[task], nodes_.data() + first_[task + 1]};
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<analysis::NodeIndex> nodes_;
};

}  // namespace foretask::simulate
