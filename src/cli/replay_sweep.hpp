// SPDX-License-Identifier: Apache-2.0
// A sweep as the commands run it: on all processors, with progress, as often as chance asks for.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/input.hpp"
#include "cli/replay_options.hpp"
#include "foretask/analysis/makespan.hpp"
#include "foretask/analysis/sweep.hpp"
#include "report/simulation.hpp"

namespace foretask::cli {

// Work stealing is a matter of chance: a single replay of a few hundred tasks may be some percent off the middle of
// them. A large graph evens it out by itself, and would take its time. An odd number; 1 under the other policies.
[[nodiscard]] std::uint32_t replays_of(const analysis::TaskGraph& graph, analysis::Policy policy);

// Fills in replays and progress.
[[nodiscard]] Result<std::vector<std::vector<analysis::SweepPoint>>> run_sweep(const analysis::TaskGraph& graph,
                                                                               analysis::SweepOptions options);

// Of the graph with the parameters that a run's tasks were given, which tell tasks apart. Fills in the samples, what
// the other runs say, and the progress. Errors: also another run that cannot be read, or was on other workers.
[[nodiscard]] Result<analysis::SampledMakespans> run_samples(const Input& input, const InputOptions& reading,
                                                             const SampleOptions& sampling,
                                                             analysis::MakespanOptions options);

[[nodiscard]] report::SampleCount sample_count(const analysis::SampledMakespans& sampled,
                                               const SampleOptions& sampling);

}  // namespace foretask::cli
