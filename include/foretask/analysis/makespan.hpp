// SPDX-License-Identifier: Apache-2.0
// How far makespans differ: between replays with task times drawn from similar tasks, and between measured runs. Method
// and measured results: docs/makespans.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

inline constexpr std::uint32_t kMostMakespanSamples = 100'000;
// The probabilities of MakespanSample::quantiles_ns.
inline constexpr std::array<double, 9> kMakespanQuantiles{0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99};

// Of one scenario on one number of cores. Quantiles are linear between sorted makespans (type 7). This is the spread
// that task times and stealing cause on a machine that never varies: whole runs differ by more.
struct MakespanSample {
  double mean_ns = 0;
  double sd_ns = 0;                      // divided by n - 1; 0 for one sample
  std::array<double, 9> quantiles_ns{};  // at kMakespanQuantiles
  double log_sd = 0;  // standard deviation of the logarithm, divided by n - 1; 0 where a makespan is 0
  // Makespan of the first scenario / makespan - 1, of replays with the same drawn times: 0.25 is a quarter faster.
  // Infinite where only the makespan is 0.
  double gain_p05 = 0;
  double gain_p50 = 0;
  double gain_p95 = 0;
};

struct SampledMakespans {
  std::vector<std::vector<MakespanSample>> points;  // [scenario][number of cores]
  std::uint64_t tasks = 0;                          // with times
  std::uint64_t kept = 0;                           // without similar tasks: they keep their own times
};

// Replays `grid` as often as grid.replays says, 1 to kMostMakespanSamples, with task times drawn from similar tasks.
// The seed is that of the draws too; each sampled replay has random victims of its own. The same seed gives the same
// figures on any number of threads. O(replays * scenarios * cores * replay); a draw is O(nodes). Memory: some 40 bytes
// a node, 8 bytes a makespan, and a replay a thread, on a platform also a graph a thread. Errors: simulate()'s, an
// impossible number of replays.
[[nodiscard]] Result<SampledMakespans> sample_makespans(const TaskGraph& graph, const SimulationOptions& options,
                                                        const ReplayGrid& grid);

// Fewer recordings do not tell in what range runs lie.
inline constexpr std::uint32_t kFewestRunsOfRange = 5;

// How measured runs of one program differ, and how far they are from the replay. Threads sleep on when there is work,
// for instance, or other load delays them.
struct RunSpread {
  std::uint32_t runs = 0;
  std::uint32_t workers = 1;  // of each run
  double log_shift = 0;       // mean of log(measured time / replayed time)
  double log_sd = 0;          // standard deviation of that logarithm, divided by runs - 1
};

// `replayed_ns`: makespan on as many workers. Nothing for fewer than two runs, or a time that is not above 0.
[[nodiscard]] std::optional<RunSpread> run_spread_of(const std::vector<std::int64_t>& measured_ns,
                                                     std::int64_t replayed_ns, std::uint32_t workers);

// The range that 90 % of future runs fall into.
struct RunRange {
  double low_ns = 0;
  double median_ns = 0;
  double high_ns = 0;
};

// Of one more run on `cores` cores, from measured runs: Student's t with runs - 1 degrees of freedom, times log_sd
// sqrt(1 + 1 / runs), on the logarithm. On other numbers of cores than the recorded ones log_shift is multiplied by
// (1 - 1 / p) / (1 - 1 / w), as it is time in which cores wait; not where w is 1. What drawn times spread there beyond
// what they do on the recorded ones, `drawn_log_sd` beside `recorded_log_sd`, comes on top. Nothing for fewer than
// kFewestRunsOfRange runs.
[[nodiscard]] std::optional<RunRange> run_range(const RunSpread& spread, std::uint32_t cores, std::int64_t replayed_ns,
                                                double drawn_log_sd, double recorded_log_sd);

}  // namespace foretask::analysis
