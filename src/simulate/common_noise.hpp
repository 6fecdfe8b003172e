// SPDX-License-Identifier: Apache-2.0
// What tasks that run at about the same time have in common, and a run against another: the clock, neighbours, memory.
// docs/makespans.md, "What a run has in common".
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "simulate/random_at.hpp"
#include "simulate/task_cells.hpp"
#include "simulate/task_strands.hpp"

namespace foretask::simulate {

class CommonNoise {
 public:
  static constexpr unsigned kLevels = 5;  // of halving the run
  static constexpr std::size_t kBlocks = std::size_t{1} << kLevels;

  // Compares how far blocks of the run, in order of their tasks' starts, are from what their tasks take on average with
  // what independent tasks would give. O(nodes).
  static CommonNoise of(const analysis::TaskGraph& graph, const TaskStrands& strands, const TaskCells& cells);

  // None of it is above what chance gives.
  [[nodiscard]] bool none() const noexcept { return octave_ == 0 && brief_ == 0; }
  // Standard deviation between two runs, as a share.
  [[nodiscard]] double run_spread() const noexcept;
  // Nodes up to ends()[b] are of block b.
  [[nodiscard]] const std::array<std::uint32_t, kBlocks>& ends() const noexcept { return ends_; }
  // What the times of each block are multiplied by in a sample. Their mean over samples is 1.
  [[nodiscard]] std::array<double, kBlocks> factors(const RandomAt& random) const;

 private:
  double octave_ = 0;  // variance of the logarithm that each octave of time adds: drifts of all lengths
  double brief_ = 0;   // variance of a whole run's mean by disturbances shorter than a block
  std::array<std::uint32_t, kBlocks> ends_{};
};

}  // namespace foretask::simulate
