// SPDX-License-Identifier: Apache-2.0
// What the makespan would be in run after run: replays whose task times are drawn from what tasks alike took. The
// method, and what it held in measured runs: docs/makespans.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "foretask/analysis/sweep.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

inline constexpr std::uint32_t kMostMakespanSamples = 100'000;
// Where MakespanSample::quantiles_ns lie.
inline constexpr std::array<double, 9> kMakespanQuantiles{0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99};

// How much whole runs of one program differ from each other, and how much of that drawn times alone give.
struct RunSpread {
  std::uint32_t runs = 2;   // at least 2, that it was measured on
  double log_shift = 0;     // mean of the logarithm of a run's measured time over the replayed one
  double log_sd = 0;        // standard deviation of that logarithm, all of it
  double drawn_log_sd = 0;  // of the logarithm of makespans whose times are drawn once
};

struct MakespanOptions {
  // Of every replay. Its seed is that of the draws too; a sample's replays steal from victims of its own. Its speedups
  // and removed kernels come before a scenario's own.
  SimulationOptions settings;
  std::vector<Scenario> scenarios{{}};  // at least one; gains are over the first
  std::vector<std::uint32_t> cores;     // at least one
  std::uint32_t samples = 500;          // 1 to kMostMakespanSamples
  // Draws the times about the recorded mean, once, and leaves out what they have in common: the spread within a run's
  // own tasks alone, which run_spread_of() needs. It is no interval for runs to come.
  bool one_run = false;
  // Instead of what this recording says of others: times are drawn as with `one_run`, and the logarithms of the
  // makespans moved and spread (by a part that a sample's all share) so that they are of one more run beside so many:
  // Student's t with runs - 1 degrees of freedom, times log_sd sqrt(1 + 1 / runs), on as many cores.
  std::optional<RunSpread> between_runs;
  std::uint32_t threads = 0;                  // at most; 0: one a processor. Fewer where memory has no room for more
  std::function<void(double done)> progress;  // from any thread, in [0, 1]; may be empty
};

// Of one scenario on one number of cores. Quantiles are linear between the sorted samples (type 7).
struct MakespanSample {
  double mean_ns = 0;
  double sd_ns = 0;                      // with n - 1; 0 of one sample
  std::array<double, 9> quantiles_ns{};  // at kMakespanQuantiles
  double log_mean_ns = 0;                // geometric mean; 0 where a makespan is
  double log_sd = 0;                     // standard deviation of the logarithm, with n - 1
  // Base / makespan - 1, both of the same drawn times: 0.25 is a quarter faster. Infinite where only the makespan is 0.
  double gain_p05 = 0;
  double gain_p50 = 0;
  double gain_p95 = 0;
};

struct SampledMakespans {
  std::vector<std::vector<MakespanSample>> points;  // [scenario][number of cores]
  std::uint64_t tasks = 0;                          // that have times
  std::uint64_t residual = 0;  // of them, those without like: their own time, times how others of the kernel spread
  std::uint64_t kept = 0;      // those whose kernel has no spread to draw from: their own time
  // Standard deviation, as a share, of what one run has in common against another: clock, neighbours, memory. Of
  // between_runs what drawn times leave of it.
  double run_spread = 0;
};

// Of the measured times of several runs of the program, that of the graph's own among them, beside makespans of
// `one_run` on as many cores. Nothing for fewer than two runs, or where a time is not above 0.
[[nodiscard]] std::optional<RunSpread> run_spread_of(const MakespanSample& drawn,
                                                     const std::vector<std::int64_t>& measured_ns);

// The same options give the same figures, whatever the number of threads. O(samples * scenarios * (cores * replay)), a
// draw is O(nodes). Memory: some 70 bytes a node, a replay's own a thread, and on a platform a graph a thread. Errors:
// simulate()'s, no scenario, no number of cores, a number of samples that cannot be.
[[nodiscard]] Result<SampledMakespans> sample_makespans(const TaskGraph& graph, const MakespanOptions& options);

}  // namespace foretask::analysis
