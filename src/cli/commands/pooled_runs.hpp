// SPDX-License-Identifier: Apache-2.0
// --with: other recordings that say more of a recorded run's loops, and of its work on other numbers of threads.
#pragma once

#include <string>
#include <vector>

#include "cli/options/input.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/work_inflation.hpp"
#include "report/simulate/pooled_runs.hpp"

namespace foretask::cli {

struct PooledRuns {
  std::vector<report::PooledRun> loops;  // a row each
  analysis::WorkInflation inflation;
};

// Reads the recordings in the folders `runs`, and refines the input's loops by them
// (foretask/analysis/pooled_loops.hpp): from then on input.graph() has them. Warns of one that adds nothing;
// `takes_work`: what kernels take on other numbers of workers is something. Without `runs` nothing happens. Errors: a
// task-graph file as input, no identical cores, a recording that cannot be read, no memory.
[[nodiscard]] Result<PooledRuns> pool_runs(Input& input, const InputOptions& reading,
                                           const std::vector<std::string>& runs,
                                           const analysis::SimulationOptions& settings, bool takes_work);

}  // namespace foretask::cli
