// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_sweep.hpp"

#include <algorithm>
#include <utility>

#include "cli/progress.hpp"
#include "foretask/analysis/model_times.hpp"

namespace foretask::cli {

std::uint32_t replays_of(const analysis::TaskGraph& graph, analysis::Policy policy) {
  constexpr std::size_t kMost = 15;
  constexpr std::size_t kNodes = 3'000'000;  // about a second's work
  if (policy != analysis::Policy::kWorkStealing) return 1;
  const std::size_t replays = std::clamp<std::size_t>(kNodes / std::max<std::size_t>(graph.size(), 1), 1, kMost);
  return static_cast<std::uint32_t>(replays | 1U);
}

Result<std::vector<std::vector<analysis::SweepPoint>>> run_sweep(const analysis::TaskGraph& graph,
                                                                 analysis::SweepOptions options) {
  ProgressLine progress;
  options.replays = replays_of(graph, options.settings.policy);
  options.progress = [&progress](double done) { progress.update(done, "replaying"); };
  return sweep(graph, options);
}

Result<analysis::SampledMakespans> run_samples(const Input& input, analysis::MakespanOptions options) {
  ProgressLine progress;
  options.progress = [&progress](double done) { progress.update(done, "replaying drawn times"); };
  if (input.run && !input.timed) return sample_makespans(graph_with_parameters(*input.run), options);
  return sample_makespans(input.graph(), options);
}

report::SampleCount sample_count(const analysis::SampledMakespans& sampled, std::uint32_t samples) {
  return {samples, sampled.tasks, sampled.residual, sampled.kept, sampled.run_spread};
}

}  // namespace foretask::cli
