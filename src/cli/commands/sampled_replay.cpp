// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/sampled_replay.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/replay_sweep.hpp"
#include "cli/progress.hpp"
#include "foretask/analysis/model_times.hpp"

namespace foretask::cli {

namespace {

std::filesystem::path real_path(const std::string& folder) {
  std::error_code ignored;  // what is not there is said when it is read
  return std::filesystem::weakly_canonical(folder, ignored);
}

bool has_ended(const analysis::Report& report) { return report.has_ended && report.unfinished_tasks == 0; }

void warn_of_searches(const analysis::Report& report) {
  for (const analysis::SpeculativeSection& section : report.speculative)
    if (section.cancelled != 0)
      note("warning: in the or-parallel section " + section.name +
           " the time of each search is drawn by itself, cancelled searches included. The sampled makespans do not "
           "predict future runs: use foretask predict");
}

// How the run itself was scheduled, whatever is asked for.
analysis::SimulationOptions as_recorded(analysis::SimulationOptions settings) {
  settings.platform = nullptr;
  settings.speedups.clear();
  settings.removed.clear();
  settings.policy = analysis::Policy::kWorkStealing;
  return settings;
}

// What the replay leaves out of the recorded run. Nothing where its tasks met no scheduler that a replay could follow,
// nor for another machine or policy: what they would leave out nobody has seen.
Result<std::optional<analysis::ReplayError>> left_out(const Input& input, const analysis::SimulationOptions& settings) {
  if (!input.run || settings.platform || !has_ended(input.run->report()) ||
      settings.policy != analysis::Policy::kWorkStealing || !is_scheduled(input.run->report()))
    return std::optional<analysis::ReplayError>{};
  const analysis::Report& own = input.run->report();
  const analysis::TaskGraph& graph = input.run->graph();
  const analysis::SimulationOptions recorded = as_recorded(settings);
  return replay_error_of(graph, recorded, own.workers, own.elapsed_ns, replays_of(graph, recorded.policy));
}

// How much whole runs differ, and drawn times on the recorded workers. How far they are from the replay counts for
// their own machine and policy alone.
Result<std::optional<analysis::RunSpread>> spread_between(const Input& input, const InputOptions& reading,
                                                          const std::vector<std::string>& runs,
                                                          const analysis::TaskGraph& graph,
                                                          const analysis::SimulationOptions& settings) {
  constexpr std::uint32_t kSamples = 200;
  if (runs.empty()) return std::optional<analysis::RunSpread>{};
  if (!input.run)
    return Error{.what = "--runs needs a recorded run as INPUT, and " + input.path + " is a task-graph file"};
  const analysis::Report& own = input.run->report();
  if (!has_ended(own))
    return Error{.what = "its program did not finish, so its time cannot be compared", .path = input.path};
  std::vector<std::int64_t> elapsed_ns{own.elapsed_ns};
  std::set<std::filesystem::path> folders{real_path(input.path)};
  for (const std::string& folder : runs) {
    if (!folders.insert(real_path(folder)).second)
      return Error{.what = "this recording is given twice: --runs takes recordings other than INPUT, each once",
                   .path = folder};
    const auto run = load_run(folder, reading);
    if (!run) return run.error();
    const analysis::Report& other = run->report();
    if (other.program != own.program || other.workers != own.workers)
      return Error{.what = "it is not a recording of the same program on the same number of workers as " + input.path,
                   .path = folder};
    if (other.parameters != own.parameters)
      return Error{.what = "it was recorded with other parameters than " + input.path, .path = folder};
    if (!has_ended(other))
      return Error{.what = "its program did not finish, so its time cannot be compared", .path = folder};
    note_warnings(other);
    elapsed_ns.push_back(other.elapsed_ns);
  }
  analysis::MakespanOptions options{
      .settings = as_recorded(settings), .cores = {own.workers}, .samples = kSamples, .progress = {}};
  options.one_run = true;
  const auto drawn = sample_makespans(graph, options);
  if (!drawn) return drawn.error();
  auto spread = analysis::run_spread_of(drawn->points.front().front(), elapsed_ns, own.workers);
  if (!spread) return Error{.what = "a recording took no time", .path = input.path};
  if (settings.platform || settings.policy != analysis::Policy::kWorkStealing) spread->log_shift = 0;
  return spread;
}

}  // namespace

Result<analysis::SampledMakespans> run_samples(const Input& input, const InputOptions& reading,
                                               const SampleOptions& sampling, analysis::MakespanOptions options) {
  if (input.run) warn_of_searches(input.run->report());
  ProgressLine progress;
  options.samples = sampling.samples;
  options.progress = [&progress](double done) { progress.update(done, "replaying with drawn times"); };
  std::optional<analysis::TaskGraph> with_parameters;
  if (input.run && !input.timed) with_parameters = graph_with_parameters(*input.run);
  const analysis::TaskGraph& graph = with_parameters ? *with_parameters : input.graph();
  const auto between_runs = spread_between(input, reading, sampling.runs, graph, options.settings);
  if (!between_runs) return between_runs.error();
  options.between_runs = *between_runs;
  if (sampling.runs.empty()) {
    const auto error = left_out(input, options.settings);
    if (!error) return error.error();
    options.replay_error = *error;
  }
  return sample_makespans(graph, options);
}

report::SampleCount sample_count(const Input& input, const analysis::SampledMakespans& sampled,
                                 const SampleOptions& sampling) {
  return {.samples = sampling.samples,
          .tasks = sampled.tasks,
          .residual = sampled.residual,
          .kept = sampled.kept,
          .run_spread = sampled.run_spread,
          .run_over_replay = sampled.run_over_replay,
          .other_runs = sampling.runs.size(),
          .is_a_run = input.run.has_value()};
}

}  // namespace foretask::cli
