// SPDX-License-Identifier: Apache-2.0
// Which runs are held out of a table to judge models by: always the largest sizes, the most workers, or both, as the
// questions ask beyond both.
#pragma once

#include <span>
#include <vector>

#include "foretask/analysis/program_table.hpp"
#include "predict/program/program_cells.hpp"

namespace foretask::predict {

struct HoldOut {
  std::vector<analysis::ProgramRun> known;
  std::vector<ProgramCell> asked;  // larger than all that is known, in n, p or both
  double largest_n = 0;            // of those known
  double most_workers = 0;
};

// From none (up to three sizes on up to two numbers of workers) to six.
[[nodiscard]] std::vector<HoldOut> hold_outs(std::span<const analysis::ProgramRun> runs);

}  // namespace foretask::predict
