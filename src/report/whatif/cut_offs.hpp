// SPDX-License-Identifier: Apache-2.0
// What `foretask whatif --grain` and `--depth` found, as data for their writers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "foretask/analysis/cut_off_trials.hpp"
#include "report/whatif/whatif.hpp"

namespace foretask::report {

struct CutOffs : ReplayedInput {
  bool is_depth = false;  // else grains
  analysis::CutOffTrial as_it_is;
  std::vector<analysis::CutOffTrial> trials;  // in the order given

  // Of a number of cores, by its place in `cores`: the trial with the shortest time, of several the one with most
  // tasks. nullptr: no cut-off is faster than the program as it is.
  [[nodiscard]] const analysis::CutOffTrial* best(std::size_t place) const noexcept;
  // How many times as fast as it is.
  [[nodiscard]] double speedup(const analysis::CutOffTrial& trial, std::size_t place) const noexcept;
};

// Leads with the answer: which cut-off on how many cores; then a table.
[[nodiscard]] std::string cut_offs_text(const CutOffs& found);

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string cut_offs_json(const CutOffs& found);

// grain_ns (or depth),cores,tasks,makespan_ns,base_ns,speedup; first the program as it is, whose cut-off is empty.
[[nodiscard]] std::string cut_offs_csv(const CutOffs& found);

}  // namespace foretask::report
