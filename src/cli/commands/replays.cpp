// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/replays.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/machine_options.hpp"
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

// The measured times of all runs, that of `input` first.
Result<std::vector<std::int64_t>> measured_times(const Input& input, const InputOptions& reading,
                                                 const std::vector<std::string>& others) {
  const analysis::Report& own = input.run->report();
  if (!has_ended(own))
    return Error{.what = "its program did not finish, so its time cannot be compared", .path = input.path};
  std::vector<std::int64_t> elapsed_ns{own.elapsed_ns};
  std::set<std::filesystem::path> folders{real_path(input.path)};
  for (const std::string& folder : others) {
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
  return elapsed_ns;
}

// The run itself, replayed as it was scheduled.
Result<std::int64_t> own_makespan(const analysis::Run& run, analysis::SimulationOptions settings) {
  settings.platform = nullptr;
  settings.policy = analysis::Policy::kWorkStealing;
  settings.speedups.clear();
  settings.removed.clear();
  settings.loops.clear();
  analysis::ReplayGrid grid;
  grid.cores = {run.report().workers};
  const auto table = simulate(run.graph(), settings, grid);
  if (!table) return table.error();
  return table->front().front().makespan_ns;
}

}  // namespace

Result<std::vector<std::vector<analysis::SimulationResult>>> run_replays(const analysis::TaskGraph& graph,
                                                                         const analysis::SimulationOptions& settings,
                                                                         analysis::ReplayGrid grid) {
  ProgressLine progress;
  grid.progress = [&progress](double done) { progress.update(done, "replaying"); };
  return simulate(graph, settings, grid);
}

bool is_as_recorded(const analysis::SimulationOptions& settings) {
  return !settings.platform && settings.policy == analysis::Policy::kWorkStealing && settings.speedups.empty() &&
         settings.removed.empty() && settings.loops.empty();
}

Result<analysis::RunSpread> spread_between(const Input& input, const InputOptions& reading,
                                           const std::vector<std::string>& others,
                                           const analysis::SimulationOptions& settings, std::int64_t replayed_ns) {
  if (!input.run)
    return Error{.what = "--runs needs a recorded run as INPUT, and " + input.path + " is a task-graph file"};
  const auto measured_ns = measured_times(input, reading, others);
  if (!measured_ns) return measured_ns.error();
  if (replayed_ns == 0) {
    const auto own = own_makespan(*input.run, settings);
    if (!own) return own.error();
    replayed_ns = *own;
  }
  auto spread = analysis::run_spread_of(*measured_ns, replayed_ns, input.run->report().workers);
  if (!spread) return Error{.what = "a recording took no time", .path = input.path};
  if (settings.platform || settings.policy != analysis::Policy::kWorkStealing) spread->log_shift = 0;
  return *spread;
}

Result<analysis::SampledMakespans> run_samples(const Input& input, const SampleOptions& sampling,
                                               const analysis::SimulationOptions& settings, analysis::ReplayGrid grid) {
  if (input.run) warn_of_searches(input.run->report());
  ProgressLine progress;
  grid.replays = sampling.samples;
  grid.progress = [&progress](double done) { progress.update(done, "replaying with drawn times"); };
  if (input.run && !input.timed) return sample_makespans(graph_with_parameters(*input.run), settings, grid);
  return sample_makespans(input.graph(), settings, grid);
}

report::SampleCount sample_count(const Input& input, const analysis::SampledMakespans& sampled,
                                 const SampleOptions& sampling) {
  return {.samples = sampling.samples,
          .tasks = sampled.tasks,
          .kept = sampled.kept,
          .is_a_run = input.run.has_value(),
          .spread = {}};
}

double assumed_even(const Input& input) {
  if (!input.run) {
    const auto work = static_cast<double>(work_ns(input.graph()));
    return work > 0 ? static_cast<double>(assumed_even_ns(input.graph())) / work : 0;
  }
  const analysis::Report& report = input.run->report();
  if (report.work_ns <= 0) return 0;
  const std::int64_t assumed_ns = input.timed ? assumed_even_ns(*input.timed) : report.assumed_even_ns;
  return static_cast<double>(assumed_ns) / static_cast<double>(report.work_ns);
}

std::uint32_t shown_cores(const analysis::SimulationOptions& settings, std::uint32_t cores) {
  return cores != 0 ? cores : static_cast<std::uint32_t>(workers_of(settings, 0));
}

}  // namespace foretask::cli
