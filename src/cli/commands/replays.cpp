// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/replays.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "cli/command.hpp"
#include "cli/options/machine_options.hpp"
#include "cli/progress.hpp"
#include "foretask/analysis/model_times.hpp"
#include "foretask/analysis/pooled_loops.hpp"
#include "report/plain_text.hpp"

namespace foretask::cli {
namespace {

void warn_of_no_match(const Input& input, const report::PooledRun& pooled, bool takes_work) {
  if (pooled.matched != 0) return;
  const std::string why =
      pooled.loops == 0
          ? fmt::format("{} has no parallel loop that was seen{}", input.path,
                        takes_work ? ", and the other is not of as many tasks on another number of workers" : "")
          : fmt::format("no loop execution of {} is in it. It may be of another input, or lack events", input.path);
  note(report::wrapped(fmt::format("warning: {} changes nothing: {}", pooled.run, why)));
}

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
  if (!input.own) return sample_makespans(graph_with_parameters(*input.run), settings, grid);
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
  const std::int64_t assumed_ns = input.own ? assumed_even_ns(*input.own) : report.assumed_even_ns;
  return static_cast<double>(assumed_ns) / static_cast<double>(report.work_ns);
}

std::uint32_t shown_cores(const analysis::SimulationOptions& settings, std::uint32_t cores) {
  return cores != 0 ? cores : static_cast<std::uint32_t>(workers_of(settings, 0));
}

Result<PooledRuns> pool_runs(Input& input, const InputOptions& reading, const std::vector<std::string>& runs,
                             const analysis::SimulationOptions& settings, bool takes_work) {
  PooledRuns pooled;
  if (runs.empty()) return pooled;
  if (!input.run)
    return Error{.what = "--with needs a recorded run as INPUT, and " + input.path + " is a task-graph file"};
  if (settings.platform || settings.policy == analysis::Policy::kHeft)
    return Error{.what = "--with needs identical cores, and another policy than heft"};
  std::vector<analysis::Run> recordings;
  for (const std::string& folder : runs) {
    auto run = load_run(folder, reading);
    if (!run) return run.error();
    const analysis::Report& other = run->report();
    if (other.program != input.run->report().program)
      return Error{.what = "it is not a recording of the same program as " + input.path, .path = folder};
    if (other.parameters != input.run->report().parameters)
      return Error{.what = "it was recorded with other parameters than " + input.path, .path = folder};
    note_warnings(other);
    recordings.push_back(*std::move(run));
  }
  std::vector<const analysis::TaskGraph*> graphs;
  for (const analysis::Run& run : recordings) graphs.push_back(&run.graph());
  input.own = analysis::graph_with_parameters(*input.run);
  const auto found = analysis::pool_loops(*input.own, graphs);
  if (!found) return found.error();
  const analysis::Report& own = input.run->report();
  std::vector<const analysis::Report*> reports;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const report::PooledRun& row = pooled.loops.emplace_back(report::PooledRun{(*found)[i], runs[i]});
    // Where there are loops and none is in both, it is of another input.
    const bool is_same_input = row.loops == 0 || row.matched != 0;
    const bool has_work = takes_work && is_same_input && analysis::WorkInflation::may_take(own, recordings[i].report());
    if (has_work) reports.push_back(&recordings[i].report());
    if (!has_work) warn_of_no_match(input, row, takes_work);
  }
  if (!reports.empty()) pooled.inflation = {own, reports, input.graph().kernel_names};
  return pooled;
}

}  // namespace foretask::cli
