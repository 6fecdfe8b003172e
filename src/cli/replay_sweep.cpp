// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_sweep.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
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

namespace {

std::filesystem::path real_path(const std::string& folder) {
  std::error_code ignored;  // what is not there is said when it is read
  return std::filesystem::weakly_canonical(folder, ignored);
}

// How much whole runs differ, and drawn times on the recorded workers.
Result<std::optional<analysis::RunSpread>> spread_between(const Input& input, const InputOptions& reading,
                                                          const std::vector<std::string>& runs,
                                                          const analysis::TaskGraph& graph,
                                                          const analysis::SimulationOptions& settings) {
  constexpr std::uint32_t kSamples = 200;
  if (runs.empty()) return std::optional<analysis::RunSpread>{};
  if (!input.run) return Error{.what = "--runs are beside a recorded run, which " + input.path + " is not"};
  const analysis::Report& own = input.run->report();
  std::vector<std::int64_t> elapsed_ns{own.elapsed_ns};
  std::set<std::filesystem::path> folders{real_path(input.path)};
  for (const std::string& folder : runs) {
    if (!folders.insert(real_path(folder)).second)
      return Error{.what = "--runs names this recording twice: the same run says nothing of how runs differ",
                   .path = folder};
    const auto run = load_run(folder, reading);
    if (!run) return run.error();
    const analysis::Report& other = run->report();
    if (other.program != own.program || other.workers != own.workers)
      return Error{.what = "it is no recording of the same program on as many workers as " + input.path,
                   .path = folder};
    elapsed_ns.push_back(other.elapsed_ns);
  }
  analysis::MakespanOptions options{.settings = settings, .cores = {own.workers}, .samples = kSamples, .progress = {}};
  options.settings.platform = nullptr;
  options.settings.speedups.clear();
  options.settings.policy = analysis::Policy::kWorkStealing;
  options.one_run = true;
  const auto drawn = sample_makespans(graph, options);
  if (!drawn) return drawn.error();
  const auto spread = analysis::run_spread_of(drawn->points.front().front(), elapsed_ns);
  if (!spread) return Error{.what = "a recording took no time", .path = input.path};
  return spread;
}

}  // namespace

Result<analysis::SampledMakespans> run_samples(const Input& input, const InputOptions& reading,
                                               const SampleOptions& sampling, analysis::MakespanOptions options) {
  ProgressLine progress;
  options.samples = sampling.samples;
  options.progress = [&progress](double done) { progress.update(done, "replaying drawn times"); };
  std::optional<analysis::TaskGraph> with_parameters;
  if (input.run && !input.timed) with_parameters = graph_with_parameters(*input.run);
  const analysis::TaskGraph& graph = with_parameters ? *with_parameters : input.graph();
  const auto between_runs = spread_between(input, reading, sampling.runs, graph, options.settings);
  if (!between_runs) return between_runs.error();
  options.between_runs = *between_runs;
  return sample_makespans(graph, options);
}

report::SampleCount sample_count(const analysis::SampledMakespans& sampled, const SampleOptions& sampling) {
  return {sampling.samples, sampled.tasks, sampled.residual, sampled.kept, sampled.run_spread, sampling.runs.size()};
}

}  // namespace foretask::cli
