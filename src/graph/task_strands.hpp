// SPDX-License-Identifier: Apache-2.0
// The nodes of each task, in order of index: of a recording a task's strands, else the node that the task is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::graph {

class TaskStrands {
 public:
  // Of the nodes that count alone.
  TaskStrands(const analysis::TaskGraph& graph,
              bool (*counts)(const analysis::TaskGraph& graph, analysis::NodeIndex node));

  [[nodiscard]] std::size_t tasks() const noexcept { return first_.size() - 1; }
  // Empty for a task without such a node.
  [[nodiscard]] std::span<const analysis::NodeIndex> of(std::size_t task) const noexcept {
    return {nodes_.data() + first_[task], nodes_.data() + first_[task + 1]};
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<analysis::NodeIndex> nodes_;
};

}  // namespace foretask::graph
