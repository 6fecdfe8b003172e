// SPDX-License-Identifier: Apache-2.0
// Task times drawn from those of similar tasks: docs/makespans.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "graph/task_graph_order.hpp"

namespace foretask::simulate {

// Which tasks' times may stand for each other (docs/makespans.md, "Similar tasks"): groups of tasks of one kernel, with
// the same parameters, whose strands end alike (creating a task, waiting). Where recursion depth, the number of
// descendants or the order of creation explains their times, a group has tasks of one class of it alone.
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

// Plain data once made; any number of threads draw.
class DurationDraws {
 public:
  // The graph must stay as long as the draws. O(tasks log tasks). Throws std::bad_alloc.
  explicit DurationDraws(const analysis::TaskGraph& graph);

  // HOT: one duration a node. All strands of a task come from one of its similar tasks. A node that runs on no worker,
  // and a task without similar ones, keep theirs. The same seed and sample give the same. O(nodes).
  void draw(std::uint64_t seed, std::uint32_t sample, std::span<std::int64_t> duration_ns) const;

  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }
  [[nodiscard]] std::uint64_t kept() const noexcept { return kept_; }

 private:
  const analysis::TaskGraph& graph_;
  graph::TaskStrands strands_;  // that take a worker's time
  SimilarTasks similar_;
  std::uint64_t tasks_ = 0;  // with times
  std::uint64_t kept_ = 0;   // of them, without similar tasks
};

}  // namespace foretask::simulate
