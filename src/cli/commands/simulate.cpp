// SPDX-License-Identifier: Apache-2.0
// foretask simulate: the program on other numbers of cores.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/replay_sweep.hpp"
#include "cli/commands/sampled_replay.hpp"
#include "cli/options/input.hpp"
#include "cli/options/machine_options.hpp"
#include "cli/options/replay_options.hpp"
#include "foretask/analysis/simulate.hpp"
#include "report/simulate/simulation.hpp"

namespace foretask::cli {
namespace {

struct Options {
  std::string input;
  InputOptions reading;
  MachineOptions machine;
  ReplayOptions replay;
  SampleOptions sampling;
  bool json = false;
};

int run(const Options& options) {
  auto input = load_input(options.input, options.reading);
  if (!input) return fail(input.error());
  auto platform = platform_of(*input, options.machine, !options.machine.cores.empty());
  if (!platform) return fail(platform.error());
  const analysis::TaskGraph& graph = input->graph();
  const auto settings = replay_settings(*input, options.replay, *platform);
  if (!settings) return fail(settings.error());

  report::Simulation simulation;
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
  if (input->run) {
    const analysis::Report& report = input->run->report();
    simulation.tasks = report.tasks;
    simulation.measured = report::MeasuredRun{report.workers, report.elapsed_ns, report.blocked_ns};
    note_warnings(report);
  }

  const std::vector<std::uint32_t> cores = core_counts(options.machine);
  const auto points = run_sweep(graph, {.settings = *settings, .scenarios = {{}}, .cores = cores});
  if (!points) return fail(points.error());
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const analysis::SweepPoint& point = points->front()[i];
    simulation.work_ns = point.work_ns;
    simulation.runs.push_back({.cores = cores[i] != 0 ? cores[i] : static_cast<std::uint32_t>(workers_of(*settings, 0)),
                               .workers = workers_of(*settings, cores[i]),
                               .makespan_ns = point.makespan_ns,
                               .speedup = point.speedup,
                               .utilization = point.utilization,
                               .replays = replays_of(graph, settings->policy),
                               .lowest_ns = point.lowest_ns,
                               .highest_ns = point.highest_ns});
  }
  if (options.sampling.samples != 0) {
    const auto sampled =
        run_samples(*input, options.reading, options.sampling, {.settings = *settings, .cores = cores, .progress = {}});
    if (!sampled) return fail(sampled.error());
    simulation.sampled = sample_count(*input, *sampled, options.sampling);
    for (std::size_t i = 0; i < cores.size(); ++i) simulation.runs[i].sampled = sampled->points.front()[i];
  }
  const auto span_ns = span_in_force(graph, *settings);
  if (!span_ns) return fail(span_ns.error());
  simulation.span_ns = *span_ns;
  return print_or_fail(options.json ? simulation_json(simulation) : simulation_text(simulation));
}

}  // namespace

Command add_simulate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("simulate", "Predict the program's time on other numbers of cores");
  command->add_option("INPUT", options->input, "The folder of a recorded run, or a task-graph file")->required();
  add_machine_options(*command, options->machine);
  add_policy_option(*command, options->replay);
  add_speedup_option(*command, options->replay);
  add_seed_option(*command, options->replay, ". Further replays use the next seeds");
  add_runs_option(*command, options->sampling, add_sample_option(*command, options->sampling));
  add_rename(*command, options->reading);
  command->add_flag("--json", options->json, "Write JSON");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
