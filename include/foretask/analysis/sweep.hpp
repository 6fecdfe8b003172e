// SPDX-License-Identifier: Apache-2.0
// Many replays of one graph: every what-if scenario on every number of cores, on all cores of this machine.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// What is different from the graph as it is.
struct Scenario {
  std::vector<std::pair<std::uint32_t, double>> speedups;  // kernel index, factor
  std::vector<std::uint32_t> removed;                      // kernels whose tasks take no time
};

struct SweepOptions {
  SimulationOptions settings;        // of every replay; its speedups and removed kernels come before a scenario's own
  std::vector<Scenario> scenarios;   // at least one
  std::vector<std::uint32_t> cores;  // at least one
  std::uint32_t replays = 1;         // of each, with the seeds from settings.seed on
  std::uint32_t threads = 0;         // at most; 0: one a processor. Fewer where memory has no room for more
  std::function<void(double done)> progress;  // from any thread, in [0, 1]; may be empty
};

// Of the replays of one scenario on one number of cores.
struct SweepPoint {
  std::int64_t makespan_ns = 0;  // the median
  std::int64_t lowest_ns = 0;
  std::int64_t highest_ns = 0;
  std::int64_t work_ns = 0;
  double speedup = 0;      // of the median, as in SimulationResult
  double utilization = 0;  // the same
};

// points[scenario][number of cores]. What a scenario's replays share (durations, bottom levels, their order) is found
// once a thread. The errors are simulate()'s.
[[nodiscard]] Result<std::vector<std::vector<SweepPoint>>> sweep(const TaskGraph& graph, const SweepOptions& options);

// Work of each kernel of the graph with the durations in force, in ns; on a platform each task at its fastest. The
// errors are simulate()'s.
[[nodiscard]] Result<std::vector<std::int64_t>> kernel_work_ns(const TaskGraph& graph,
                                                               const SimulationOptions& options);

}  // namespace foretask::analysis
