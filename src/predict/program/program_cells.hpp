// SPDX-License-Identifier: Apache-2.0
// The runs of a table by size and workers, repetitions joined.
#pragma once

#include <span>
#include <vector>

#include "foretask/analysis/program_table.hpp"

namespace foretask::predict {

// The medians of the runs with one n and p; its strings, kernels and costs are empty.
struct ProgramCell : analysis::ProgramRun {
  double work_sd = 0;     // relative standard deviation of `work`, from repeated runs; 0: not known
  double least_work = 0;  // undisturbed() ones
  double least_delay = 0;
};

// Of p * time: a delay, or a time without work, of less is as good as none.
inline constexpr double kIdleThatCounts = 0.02;

// By n, then p.
[[nodiscard]] std::vector<ProgramCell> program_cells(std::span<const analysis::ProgramRun> runs);

// Of cells by n, the smallest size of the larger half.
[[nodiscard]] double larger_half(std::span<const ProgramCell> cells);

// Each once, smallest first.
[[nodiscard]] std::vector<double> sizes_of(std::span<const analysis::ProgramRun> runs);
[[nodiscard]] std::vector<double> workers_of(std::span<const analysis::ProgramRun> runs);

}  // namespace foretask::predict
