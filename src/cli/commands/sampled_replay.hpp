// SPDX-License-Identifier: Apache-2.0
// Replays with drawn task times, as the commands run them: with what measured runs say of what replays leave out.
#pragma once

#include "cli/options/input.hpp"
#include "cli/options/replay_options.hpp"
#include "foretask/analysis/makespan.hpp"
#include "report/simulate/simulation.hpp"

namespace foretask::cli {

// Of the graph with the parameters that a run's tasks were given, which tell tasks apart. Fills in the samples, the
// progress, and either what the recorded run took over its replay, for which its own times are replayed up to 15 times,
// or, with --runs, how far all of them are from replays, for which times are drawn 200 times more. Errors: also another
// run that cannot be read, had other workers or parameters, or did not end.
[[nodiscard]] Result<analysis::SampledMakespans> run_samples(const Input& input, const InputOptions& reading,
                                                             const SampleOptions& sampling,
                                                             analysis::MakespanOptions options);

[[nodiscard]] report::SampleCount sample_count(const Input& input, const analysis::SampledMakespans& sampled,
                                               const SampleOptions& sampling);

}  // namespace foretask::cli
