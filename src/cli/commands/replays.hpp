// SPDX-License-Identifier: Apache-2.0
// Replays as the commands run them: with progress, with drawn task times, and beside other recordings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/input.hpp"
#include "cli/options/replay_options.hpp"
#include "foretask/analysis/makespan.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/work_inflation.hpp"
#include "report/simulate/simulation.hpp"

namespace foretask::cli {

// Shows progress.
[[nodiscard]] Result<std::vector<std::vector<analysis::SimulationResult>>> run_replays(
    const analysis::TaskGraph& graph, const analysis::SimulationOptions& settings, analysis::ReplayGrid grid);

// Of the graph with the parameters that a run's tasks were given, which tell tasks apart. Replaces the grid's number of
// replays, and shows progress. Warns of or-parallel sections. Errors: sample_makespans()'s.
[[nodiscard]] Result<analysis::SampledMakespans> run_samples(const Input& input, const SampleOptions& sampling,
                                                             const analysis::SimulationOptions& settings,
                                                             analysis::ReplayGrid grid);

// How `input` and the other recordings of its program differ, and how far they are from its replay on their own number
// of workers: `replayed_ns`, or found here where that is 0. For other machines and policies than the recorded one the
// replay counts as right. Errors: a recording that cannot be read, had other workers or parameters, or did not end.
[[nodiscard]] Result<analysis::RunSpread> spread_between(const Input& input, const InputOptions& reading,
                                                         const std::vector<std::string>& others,
                                                         const analysis::SimulationOptions& settings,
                                                         std::int64_t replayed_ns);

// Whether these are the machine and the policy of a recorded run, with its own times.
[[nodiscard]] bool is_as_recorded(const analysis::SimulationOptions& settings);

[[nodiscard]] report::SampleCount sample_count(const Input& input, const analysis::SampledMakespans& sampled,
                                               const SampleOptions& sampling);

// Of a recording's work, the part that replays take to divide evenly for want of knowledge.
[[nodiscard]] double assumed_even(const Input& input);

// A machine that is taken as it is has all its workers.
[[nodiscard]] std::uint32_t shown_cores(const analysis::SimulationOptions& settings, std::uint32_t cores);

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
