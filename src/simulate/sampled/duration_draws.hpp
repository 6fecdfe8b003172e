// SPDX-License-Identifier: Apache-2.0
// Task times drawn from those of similar tasks: docs/makespans.md.
#pragma once

#include <cstdint>
#include <span>

#include "foretask/analysis/task_graph.hpp"
#include "graph/task_strands.hpp"
#include "simulate/sampled/similar_tasks.hpp"

namespace foretask::simulate {

// Plain data once made; any number of threads draw.
class DurationDraws {
 public:
  // The graph must stay as long as the draws. Throws std::bad_alloc.
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
