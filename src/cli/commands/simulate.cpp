// SPDX-License-Identifier: Apache-2.0
// foretask simulate: the program on other numbers of cores.
#include <CLI/CLI.hpp>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/replays.hpp"
#include "cli/launch/calibration.hpp"
#include "cli/options/input.hpp"
#include "cli/options/machine_options.hpp"
#include "cli/options/replay_options.hpp"
#include "foretask/analysis/simulate.hpp"
#include "report/plain_text.hpp"
#include "report/run/reading.hpp"
#include "report/sentences.hpp"
#include "report/simulate/simulation.hpp"

namespace foretask::cli {
namespace {

struct Options {
  std::string input;
  InputOptions reading;
  MachineOptions machine;
  ReplayOptions replay;
  SampleOptions sampling;
  std::vector<std::string> with;
  bool json = false;
};

// How other recordings differ from the input, where there are any.
Result<std::optional<analysis::RunSpread>> spread_of(const Input& input, const Options& options,
                                                     const analysis::SimulationOptions& settings,
                                                     const std::vector<report::SimulatedRun>& runs) {
  std::optional<analysis::RunSpread> spread;
  if (options.sampling.runs.empty()) return spread;
  std::int64_t replayed_ns = 0;
  for (const report::SimulatedRun& run : runs)
    if (input.run && is_as_recorded(settings) && run.cores == input.run->report().workers)
      replayed_ns = run.replay.makespan_ns;
  const auto found = spread_between(input, options.reading, options.sampling.runs, settings, replayed_ns);
  if (!found) return found.error();
  spread = *found;
  return spread;
}

Result<void> add_samples(const Input& input, const Options& options, const analysis::SimulationOptions& settings,
                         analysis::ReplayGrid grid, report::Simulation& simulation) {
  const auto spread = spread_of(input, options, settings, simulation.runs);
  if (!spread) return spread.error();
  // Behind the numbers of cores asked for that of the recorded run, which its range is measured on.
  const bool has_own_cores = *spread && !settings.platform;
  if (has_own_cores) grid.cores.push_back((*spread)->workers);
  const auto sampled = run_samples(input, options.sampling, settings, grid);
  if (!sampled) return sampled.error();
  simulation.sampled = sample_count(input, *sampled, options.sampling);
  simulation.sampled->spread = *spread;
  const std::vector<analysis::MakespanSample>& points = sampled->points.front();
  const double own_log_sd = has_own_cores ? points.back().log_sd : 0;
  for (std::size_t i = 0; i < simulation.runs.size(); ++i) {
    report::SimulatedRun& run = simulation.runs[i];
    run.sampled = points[i];
    if (*spread) run.range = run_range(**spread, grid.cores[i], run.replay.makespan_ns, points[i].log_sd, own_log_sd);
  }
  return {};
}

// A result a number of cores: each with what kernels' work is there.
Result<std::vector<analysis::SimulationResult>> run_on_cores(const analysis::TaskGraph& graph,
                                                             const analysis::SimulationOptions& settings,
                                                             const analysis::ReplayGrid& grid,
                                                             const analysis::WorkInflation& inflation) {
  if (inflation.empty()) {
    auto replays = run_replays(graph, settings, grid);
    if (!replays) return replays.error();
    return std::move(replays->front());
  }
  std::vector<analysis::SimulationResult> results;
  for (const std::uint32_t cores : grid.cores) {
    analysis::ReplayGrid one = grid;
    one.cores = {cores};
    one.scenarios.front().speedups = inflation.speedups_on(cores);
    auto replays = run_replays(graph, settings, one);
    if (!replays) return replays.error();
    results.push_back(std::move(replays->front().front()));
  }
  return results;
}

int run(const Options& options) {
  calibrate_for({options.input});
  auto input = load_input(options.input, options.reading);
  if (!input) return fail(input.error());
  auto platform = platform_of(*input, options.machine, !options.machine.cores.empty());
  if (!platform) return fail(platform.error());
  const auto settings = replay_settings(*input, options.replay, *platform);
  if (!settings) return fail(settings.error());
  // Drawn task times are of the input alone, and what stands beside them too.
  const bool takes_work = options.sampling.samples == 0;
  auto pooled = pool_runs(*input, options.reading, options.with, *settings, takes_work);
  if (!pooled) return fail(pooled.error());
  const analysis::TaskGraph& graph = input->graph();

  report::Simulation simulation;
  simulation.pooled = pooled->loops;
  simulation.inflated = pooled->inflation.table();
  simulation.input = options.input;
  simulation.policy = settings->policy;
  simulation.costs = settings->costs;
  simulation.seed = settings->seed;
  simulation.machine = machine_words(*settings, !options.machine.cores.empty());
  simulation.nodes = graph.size();
  simulation.tasks = graph.size();
  simulation.edges = graph.edge_count();
  for (const auto& [kernel, factor] : settings->speedups)
    simulation.speedups.push_back({graph.kernel_names[kernel], factor});
  for (const analysis::LoopChange& change : settings->loops)
    simulation.schedules.push_back(
        {graph.kernel_names[change.kernel], analysis::schedule_name(change.schedule, change.chunk)});
  simulation.assumed_even = assumed_even(*input);
  if (input->run) {
    const analysis::Report& report = input->run->report();
    simulation.tasks = report.tasks;
    simulation.contents = report::contents_words(report);
    // The thread that submits StarPU's tasks is none of the workers that run them.
    const std::uint32_t workers = report.costs.rules.has_submitter ? std::max(1U, report.workers - 1) : report.workers;
    simulation.measured = report::MeasuredRun{workers,           report.elapsed_ns, unrecorded_time(report),
                                              report.blocked_ns, report.runtime_ns, report::loop_parts_share(report)};
    note_warnings(report);
  }

  analysis::ReplayGrid grid;
  grid.cores = core_counts(options.machine);
  auto replays = run_on_cores(graph, *settings, grid, pooled->inflation);
  if (!replays) return fail(replays.error());
  for (std::size_t i = 0; i < grid.cores.size(); ++i)
    simulation.runs.push_back({.cores = shown_cores(*settings, grid.cores[i]),
                               .workers = workers_of(*settings, grid.cores[i]),
                               .replay = std::move((*replays)[i]),
                               .lock_ns = lock_bound_ns(graph, *settings, grid.cores[i]),
                               .sampled = {},
                               .range = {}});
  if (options.sampling.samples != 0)
    if (auto added = add_samples(*input, options, *settings, grid, simulation); !added) return fail(added.error());
  const auto figures = work_and_span(graph, *settings);
  if (!figures) return fail(figures.error());
  simulation.span_ns = figures->span_ns;
  if (!pooled->inflation.empty())
    simulation.set_work(
        std::accumulate(figures->kernel_work_ns.begin(), figures->kernel_work_ns.end(), std::int64_t{0}));
  return print_or_fail(options.json ? simulation_json(simulation) : report::wrapped(simulation_text(simulation)));
}

}  // namespace

Command add_simulate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("simulate", "Predict the program's time on other numbers of cores");
  command->add_option("INPUT", options->input, "The folder of a recorded run, or a task-graph file")->required();
  add_machine_options(*command, options->machine);
  add_policy_option(*command, options->replay);
  add_speedup_option(*command, options->replay);
  add_schedule_option(*command, options->replay);
  add_seed_option(*command, options->replay, ". Further replays use the next seeds");
  add_runs_option(*command, options->sampling, add_sample_option(*command, options->sampling));
  add_with_option(*command, options->with);
  add_rename(*command, options->reading);
  command->add_flag("--json", options->json, "Write JSON");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
