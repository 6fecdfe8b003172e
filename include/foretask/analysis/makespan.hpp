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
  std::uint32_t runs = 2;     // at least 2, that it was measured on
  std::uint32_t workers = 1;  // at least 1, that each had
  double log_shift = 0;       // mean of the logarithm of a run's measured time over the replayed one
  double log_sd = 0;          // standard deviation of that logarithm, all of it
  double drawn_log_sd = 0;    // of the logarithm of makespans whose times are drawn once
};

// How far a run's replay is from the run itself: threads that sleep on when there is work again, a busy machine.
struct ReplayError {
  std::uint32_t workers = 1;  // at least 1, that the run had
  double log_ratio = 0;       // logarithm of the run's measured time over its replay's, the mean of several
  double log_sd = 0;          // standard deviation of the logarithm of those, which luck in stealing makes
};

struct MakespanOptions {
  // Of every replay. Its seed is that of the draws too; a sample's replays steal from victims of its own. Its speedups
  // and removed kernels come before a scenario's own.
  SimulationOptions settings;
  std::vector<Scenario> scenarios{{}};  // at least one; gains are over the first
  std::vector<std::uint32_t> cores;     // at least one
  std::uint32_t samples = 500;          // 1 to kMostMakespanSamples
  // Draws the times about the recorded mean, once: the spread of a run's own tasks alone, which run_spread_of() needs.
  // It is no interval for runs to come.
  bool one_run = false;
  // Instead of what this recording says of others: times are drawn as with `one_run`, and the logarithms of the
  // makespans moved and spread (by a part that a sample's all share) so that they are of one more run beside so many:
  // Student's t with runs - 1 degrees of freedom, times log_sd sqrt(1 + 1 / runs), on as many cores. On p cores and not
  // w, log_shift is multiplied by (1 - 1 / p) / (1 - 1 / w), as it is time that cores wait; not where w is 1.
  std::optional<RunSpread> between_runs;
  // Without `between_runs`, whose middle holds it: what the recorded run took over its replay is put on all makespans;
  // on other numbers of cores by the same rule.
  std::optional<ReplayError> replay_error;
  std::uint32_t threads = 0;                  // at most; 0: one a processor. Fewer where memory has no room for more
  std::function<void(double done)> progress;  // from any thread, in [0, 1]; may be empty
};

// Of one scenario on one number of cores. Quantiles are linear between the sorted samples (type 7).
struct MakespanSample {
  double mean_ns = 0;  // of two runs, by between_runs, where Student's factor is cut: ten times at most
  double sd_ns = 0;    // with n - 1; 0 of one sample
  std::array<double, 9> quantiles_ns{};  // at kMakespanQuantiles
  double log_mean_ns = 0;                // geometric mean; 0 where a makespan is
  double log_sd = 0;                     // standard deviation of the logarithm, with n - 1
  // Base / makespan - 1 of replays of the same drawn times, before anything is put on them: 0.25 is a quarter faster.
  // Infinite where only the makespan is 0.
  double gain_p05 = 0;
  double gain_p50 = 0;
  double gain_p95 = 0;
};

struct SampledMakespans {
  std::vector<std::vector<MakespanSample>> points;  // [scenario][number of cores]
  std::uint64_t tasks = 0;                          // that have times
  std::uint64_t residual = 0;  // of them, those without like: their own time, times how others of the kernel spread
  std::uint64_t kept = 0;      // those whose kernel has no spread to draw from: their own time
  // Of between_runs: standard deviation, as a share, that drawn times leave of what runs differ by: clock, neighbours,
  // memory.
  double run_spread = 0;
  // What the samples were multiplied by on as many cores as were measured, at the middle: what the recorded run took
  // over its replay, or of between_runs what all of them did.
  double run_over_replay = 1;
};

// Of the measured times of several runs of the program, that of the graph's own among them, beside makespans of
// `one_run` on as many cores. Nothing for fewer than two runs, or where a time is not above 0.
[[nodiscard]] std::optional<RunSpread> run_spread_of(const MakespanSample& drawn,
                                                     const std::vector<std::int64_t>& measured_ns,
                                                     std::uint32_t workers);

// Of a run of `graph` on as many plain cores, that took measured_ns: replays of its own times. `settings` as recorded:
// no platform, no speedup. Nothing where a time is not above 0. O(replays * replay). Errors: simulate()'s.
[[nodiscard]] Result<std::optional<ReplayError>> replay_error_of(const TaskGraph& graph,
                                                                 const SimulationOptions& settings,
                                                                 std::uint32_t workers, std::int64_t measured_ns,
                                                                 std::uint32_t replays);

// The same options give the same figures, whatever the number of threads. O(samples * scenarios * (cores * replay)), a
// draw is O(nodes). Memory: some 70 bytes a node, a replay's own a thread, on a platform a graph a thread, and 8 bytes
// a makespan. Errors: simulate()'s, no scenario, no number of cores, numbers of samples, runs or workers that cannot
// be.
[[nodiscard]] Result<SampledMakespans> sample_makespans(const TaskGraph& graph, const MakespanOptions& options);

}  // namespace foretask::analysis
