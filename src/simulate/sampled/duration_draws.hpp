// SPDX-License-Identifier: Apache-2.0
// Task times of runs to come, drawn from those of tasks alike: docs/makespans.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "simulate/sampled/task_cells.hpp"
#include "simulate/sampled/time_law.hpp"
#include "simulate/stealing/task_strands.hpp"
#include "statistics/random.hpp"

namespace foretask::simulate {

// Plain data once made; any number of threads draw.
class DurationDraws {
 public:
  enum class Of {
    kNextRun,  // given this one: as far from the recorded one as two runs are from each other
    kOneRun    // about the recorded mean, and nothing but what tasks independent of each other give
  };
  // The graph must stay as long as the draws. Throws std::bad_alloc.
  explicit DurationDraws(const analysis::TaskGraph& graph, Of kind = Of::kNextRun);

  // HOT: one duration a node. The same seed and sample give the same. O(nodes).
  void draw(std::uint64_t seed, std::uint32_t sample, std::span<std::int64_t> duration_ns) const;

  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }
  [[nodiscard]] std::uint64_t residual() const noexcept { return residual_; }
  [[nodiscard]] std::uint64_t kept() const noexcept { return kept_; }

 private:
  // What others of a kernel take beside the mean of those alike.
  struct Pool {
    std::uint32_t first = 0;
    std::uint32_t size = 0;
  };

  void fill_laws();
  void fill_rows();
  void fill_pools();
  void count_tasks();
  [[nodiscard]] double place_in(const TaskCell& cell, std::size_t task, const statistics::RandomAt& member,
                                const statistics::RandomAt& population) const noexcept;
  void draw_residual(std::size_t task, const statistics::RandomAt& random, std::span<std::int64_t> duration_ns) const;

  const analysis::TaskGraph& graph_;
  TaskStrands strands_;
  TaskCells cells_;
  Of kind_;
  std::vector<TimeLaw> laws_;             // one a cell
  std::vector<double> times_ns_;          // as cells_.members
  std::vector<std::int64_t> rows_ns_;     // of each cell's members, a duration a strand
  std::vector<std::uint64_t> first_row_;  // of each cell
  std::vector<float> ratios_;             // kernel by kernel, their mean 1
  std::vector<Pool> pools_;               // one a kernel
  std::uint64_t tasks_ = 0;
  std::uint64_t residual_ = 0;
  std::uint64_t kept_ = 0;
};

}  // namespace foretask::simulate
