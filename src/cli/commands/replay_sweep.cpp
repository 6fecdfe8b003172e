// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/replay_sweep.hpp"

#include <algorithm>

#include "cli/progress.hpp"

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

}  // namespace foretask::cli
