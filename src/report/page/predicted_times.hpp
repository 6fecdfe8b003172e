// SPDX-License-Identifier: Apache-2.0
// T(n, p) from several runs of the program: what the page shows of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "foretask/analysis/program_model.hpp"
#include "foretask/analysis/program_table.hpp"

namespace foretask::report {

struct PredictedTimes {
  std::string size_name = "n";
  std::vector<double> sizes;                       // ascending; empty: nothing was predicted
  std::vector<double> cores;                       // ascending
  std::vector<analysis::ProgramPrediction> cells;  // by size, then cores; times in ns
  std::vector<analysis::ProgramRun> runs;          // measured
  std::string from;                                // of what runs, in words
  analysis::ProgramModelScore model;               // that answers
  std::vector<std::string> warnings;
  std::string reason;  // why nothing was predicted, and what to do; a sentence

  [[nodiscard]] const analysis::ProgramPrediction& at(std::size_t size, std::size_t core) const {
    return cells[size * cores.size() + core];
  }
};

// Beyond the least or largest n of the runs, or their most cores.
[[nodiscard]] bool is_extrapolated(const PredictedTimes& predicted, double n, double p);

}  // namespace foretask::report
