// SPDX-License-Identifier: Apache-2.0
// Replays every scenario on every number of cores, on all processors of this machine.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// What differs from the graph.
struct Scenario {
  std::vector<std::pair<std::uint32_t, double>> speedups;  // kernel index, kernel factor
  std::vector<std::uint32_t> removed;                      // kernels whose tasks take no time
};

struct SweepOptions {
  SimulationOptions settings;        // of every replay; its speedups and removed kernels come before a scenario's
  std::vector<Scenario> scenarios;   // at least one
  std::vector<std::uint32_t> cores;  // at least one
  std::uint32_t replays = 1;         // of each, with seeds from settings.seed on
  std::uint32_t threads = 0;         // at most; 0: one a processor. Fewer where memory is short
  std::function<void(double done)> progress;  // from any thread, in [0, 1]; may be empty
};

// The replays of one scenario on one number of cores.
struct SweepPoint {
  std::int64_t makespan_ns = 0;  // median
  std::int64_t lowest_ns = 0;
  std::int64_t highest_ns = 0;
  std::int64_t work_ns = 0;
  double speedup = 0;      // of the median, as in SimulationResult
  double utilization = 0;  // the same
};

// points[scenario][number of cores]. What a scenario's replays share (durations, bottom levels, their order) is
// computed once a thread. Errors: simulate()'s, and no scenario, number of cores or replay.
[[nodiscard]] Result<std::vector<std::vector<SweepPoint>>> sweep(const TaskGraph& graph, const SweepOptions& options);

// Each kernel's work with the kernel factors, in ns; on a platform each task at its fastest. Errors: simulate()'s.
[[nodiscard]] Result<std::vector<std::int64_t>> kernel_work_ns(const TaskGraph& graph,
                                                               const SimulationOptions& options);

}  // namespace foretask::analysis
