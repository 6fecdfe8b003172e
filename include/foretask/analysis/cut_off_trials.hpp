// SPDX-License-Identifier: Apache-2.0
// How long a recorded program would take if it created tasks down to a cut-off alone. Thread safe: a call only reads
// the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "foretask/analysis/coarse_graph.hpp"
#include "foretask/analysis/simulate.hpp"

namespace foretask::analysis {

// Counts are those of CoarseGraph.
struct CutOffTrial {
  CutOff cut_off;
  std::uint64_t tasks = 0;
  std::uint64_t waiting = 0;
  std::uint64_t whole = 0;
  std::vector<SimulationResult> replays;  // one a number of cores
};

struct CutOffTrials {
  CutOffTrial as_it_is;             // every task is one
  std::vector<CutOffTrial> trials;  // one a cut-off, in their order
};

// Every cut-off on every number of cores.
struct CutOffGrid {
  std::vector<CutOff> cut_offs;
  std::vector<std::uint32_t> cores;           // at least one; in the place of the options' own
  std::uint32_t replays = 0;                  // of each: as ReplayGrid has it
  std::function<void(double done)> progress;  // from any thread, in [0, 1]; may be empty
};

// Replays of the coarse graphs. `options`: without kernel factors, which a strand of several kernels could not have.
// Each cut-off takes a pass over the graph, or over that of a finer one before, and the replays. Errors: coarsened()'s,
// simulate()'s, kernel factors.
[[nodiscard]] Result<CutOffTrials> try_cut_offs(const TaskGraph& graph, const SimulationOptions& options,
                                                const CutOffGrid& grid);

}  // namespace foretask::analysis
