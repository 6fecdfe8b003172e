// SPDX-License-Identifier: Apache-2.0
// The makespan of future runs: replays with task times drawn from similar tasks. Method and measured results:
// docs/makespans.md.
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
// The probabilities of MakespanSample::quantiles_ns.
inline constexpr std::array<double, 9> kMakespanQuantiles{0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99};

// How much whole runs of a program differ, and how much of that comes from drawn times.
struct RunSpread {
  std::uint32_t runs = 2;     // measured runs, at least 2
  std::uint32_t workers = 1;  // of each run, at least 1
  double log_shift = 0;       // mean of log(measured time / replayed time)
  double log_sd = 0;          // standard deviation of that logarithm
  double drawn_log_sd = 0;    // of the logarithm of makespans with one_run
};

// How far a run is from its replay, for instance because threads still sleep when there is work, or of other load.
struct ReplayError {
  std::uint32_t workers = 1;  // of the run, at least 1
  double log_ratio = 0;       // mean of log(measured time / replayed time) over several replays
  double log_sd = 0;          // standard deviation of that logarithm: luck in stealing
};

struct MakespanOptions {
  // Of every replay. The seed is that of the draws too; each sampled replay has random victims of its own. Speedups and
  // removed kernels come before a scenario's own.
  SimulationOptions settings;
  std::vector<Scenario> scenarios{{}};  // at least one; gains are relative to the first
  std::vector<std::uint32_t> cores;     // at least one
  std::uint32_t samples = 500;          // sampled replays, 1 to kMostMakespanSamples
  // Draws times around the recorded means: the spread of one run's own tasks, for run_spread_of(). Not a prediction
  // interval for future runs.
  bool one_run = false;
  // Takes the spread from measured runs. Times are drawn as with `one_run`; then the logarithms of the makespans are
  // shifted and spread to those of one more run. This is Student's t with runs - 1 degrees of freedom, times log_sd
  // sqrt(1 + 1 / runs), on `workers` cores. A sample's makespans share a part of it. On p cores instead of w, log_shift
  // is multiplied by (1 - 1 / p) / (1 - 1 / w), as it is time in which cores wait; not where w is 1.
  std::optional<RunSpread> between_runs;
  // Multiplies all makespans by measured time / replayed time, on other numbers of cores by the same rule. Ignored with
  // `between_runs`, which includes it.
  std::optional<ReplayError> replay_error;
  std::uint32_t threads = 0;                  // at most; 0: one a processor. Fewer where memory is short
  std::function<void(double done)> progress;  // from any thread, in [0, 1]; may be empty
};

// Of one scenario on one number of cores. Quantiles are linear between sorted makespans (type 7).
struct MakespanSample {
  double mean_ns = 0;                    // with between_runs, makespans are cut at ten times and a tenth of the middle
  double sd_ns = 0;                      // divided by n - 1; 0 for one sample
  std::array<double, 9> quantiles_ns{};  // at kMakespanQuantiles
  double log_mean_ns = 0;                // geometric mean; 0 where a makespan is 0
  double log_sd = 0;                     // standard deviation of the logarithm, divided by n - 1
  // Base / makespan - 1 of replays with the same drawn times, before any correction: 0.25 is a quarter faster. Infinite
  // where only the makespan is 0.
  double gain_p05 = 0;
  double gain_p50 = 0;
  double gain_p95 = 0;
};

struct SampledMakespans {
  std::vector<std::vector<MakespanSample>> points;  // [scenario][number of cores]
  std::uint64_t tasks = 0;                          // with times
  std::uint64_t residual = 0;  // without similar tasks: their own time, times the spread of their kernel's others
  std::uint64_t kept = 0;      // of a kernel without spread: their own time
  // With between_runs: the standard deviation, as a share, that drawn times do not explain: clock, other load, memory.
  double run_spread = 0;
  // The middle of the factors on the makespans, on the measured number of cores: measured time / replayed time.
  double run_over_replay = 1;
};

// From the measured times of several runs, that of the graph included, and `drawn`: makespans with `one_run` on as many
// cores. Nothing for fewer than two runs, or a time that is not above 0.
[[nodiscard]] std::optional<RunSpread> run_spread_of(const MakespanSample& drawn,
                                                     const std::vector<std::int64_t>& measured_ns,
                                                     std::uint32_t workers);

// Compares replays of the graph's own times on `workers` plain cores with the measured time of its run. `settings` as
// recorded: no platform, no speedups. Nothing where a time is not above 0. O(replays * replay). Errors: simulate()'s.
[[nodiscard]] Result<std::optional<ReplayError>> replay_error_of(const TaskGraph& graph,
                                                                 const SimulationOptions& settings,
                                                                 std::uint32_t workers, std::int64_t measured_ns,
                                                                 std::uint32_t replays);

// The same options give the same figures on any number of threads. O(samples * scenarios * cores * replay); a draw is
// O(nodes). Memory: some 70 bytes a node, 8 bytes a makespan, and a replay a thread, on a platform also a graph a
// thread. Errors: simulate()'s, no scenario, no number of cores, an impossible number of samples, runs or workers.
[[nodiscard]] Result<SampledMakespans> sample_makespans(const TaskGraph& graph, const MakespanOptions& options);

}  // namespace foretask::analysis
