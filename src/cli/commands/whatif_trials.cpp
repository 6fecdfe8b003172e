// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/whatif_trials.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

#include "cli/command.hpp"
#include "cli/commands/replays.hpp"
#include "cli/options/lists.hpp"
#include "cli/progress.hpp"
#include "report/short_names.hpp"

namespace foretask::cli {
namespace {

using analysis::CutOff;

constexpr const char* kAuto = "auto";

template <auto parse>
std::string check_or_auto(const std::string& text) {
  return text == kAuto ? std::string{} : check<parse>(text);
}

Result<std::vector<CutOff>> cut_offs_of(const CutOffOptions& options, const analysis::TaskGraph& graph) {
  std::vector<CutOff> cut_offs;
  if (options.grains == kAuto || options.depths == kAuto) {
    const auto graphs = analysis::CoarseGraphs::of(graph);
    if (!graphs) return graphs.error();
    if (options.grains == kAuto) return graphs->grains_to_try();
    cut_offs = graphs->depths_to_try();
    std::reverse(cut_offs.begin(), cut_offs.end());  // as a user would list them
    return cut_offs;
  }
  if (options.depths.empty()) {
    const std::vector<std::int64_t> grains = *parse_time_list(options.grains);
    for (const std::int64_t grain_ns : grains) cut_offs.push_back({.grain_ns = grain_ns, .kernels = {}});
  } else {
    const std::vector<std::uint32_t> depths = *parse_depth_list(options.depths);
    for (const std::uint32_t depth : depths) cut_offs.push_back({.depth = depth, .kernels = {}});
  }
  return cut_offs;
}

Result<std::vector<std::uint32_t>> kernels_of(const analysis::TaskGraph& graph, const std::vector<std::string>& names) {
  std::vector<std::uint32_t> kernels;
  for (const std::string& name : names) {
    const auto found = report::match_kernels(graph.kernel_names, name);
    if (!found) return found.error();
    kernels.insert(kernels.end(), found->begin(), found->end());
  }
  return kernels;
}

using analysis::DivisibleLoop;

// A loop with less of the work cannot gain much.
constexpr double kLittleWork = 0.01;

const std::string& name_of(const analysis::TaskGraph& graph, const DivisibleLoop& loop) {
  return graph.kernel_names[loop.kernels.front()];
}

Result<std::vector<DivisibleLoop>> loops_in_question(const analysis::TaskGraph& graph,
                                                     const std::vector<std::string>& names) {
  std::vector<DivisibleLoop> all = divisible_loops(graph);
  std::vector<DivisibleLoop> chosen;
  const auto little = kLittleWork * static_cast<double>(work_ns(graph));
  if (names.empty())
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
                 [little](const auto& loop) { return static_cast<double>(loop.work_ns + loop.hand_out_ns) >= little; });
  for (const std::string& name : names) {
    const auto kernels = report::match_kernels(graph.kernel_names, name);
    if (!kernels) return kernels.error();
    const auto is_meant = [&](const DivisibleLoop& loop) {
      return std::find(kernels->begin(), kernels->end(), loop.kernels.front()) != kernels->end();
    };
    const auto first = std::stable_partition(all.begin(), all.end(), [&](const auto& loop) { return !is_meant(loop); });
    if (first == all.end())
      return Error{fmt::format("{} is no parallel loop that a replay divides by a schedule", name)};
    std::move(first, all.end(), std::back_inserter(chosen));
    all.erase(first, all.end());
  }
  return chosen;
}

analysis::Scenario scenario_of(const DivisibleLoop& loop, const analysis::ScheduleTrial& trial) {
  const analysis::TriedSchedule& best = trial.tried[trial.best];
  analysis::Scenario scenario;
  // As it is, it needs no other replay than the program's.
  if (analysis::schedule_name(best.schedule, best.chunk) != loop.schedule)
    for (const std::uint32_t kernel : loop.kernels) scenario.loops.push_back({kernel, best.schedule, best.chunk});
  return scenario;
}

// The program's replays on one number of cores: as it is, each loop under its best schedule, and all of them.
Result<void> add_gains(const Input& input, const analysis::SimulationOptions& settings,
                       const std::vector<DivisibleLoop>& loops, std::size_t place, report::LoopSchedules& found) {
  analysis::ReplayGrid grid;
  grid.cores = {found.cores[place]};
  analysis::Scenario together;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    grid.scenarios.push_back(scenario_of(loops[i], found.row(i, place).trial));
    const std::vector<analysis::LoopChange>& changes = grid.scenarios.back().loops;
    together.loops.insert(together.loops.end(), changes.begin(), changes.end());
  }
  if (loops.size() > 1) grid.scenarios.push_back(std::move(together));
  const auto replays = run_replays(input.graph(), settings, grid);
  if (!replays) return replays.error();
  const analysis::SimulationResult& base = replays->front().front();
  found.replays = std::max(found.replays, base.replays);
  found.work_ns = base.work_ns;
  const auto gain = [&](std::size_t scenario) {
    return report::ReplayGain{found.cores[place], base.makespan_ns, (*replays)[scenario].front().makespan_ns};
  };
  for (std::size_t i = 0; i < loops.size(); ++i) found.rows[i * found.cores.size() + place].program = gain(i + 1);
  if (loops.size() > 1) found.together.push_back(gain(loops.size() + 1));
  return {};
}

}  // namespace

std::vector<CLI::Option*> add_cut_off_options(CLI::App& command, CutOffOptions& options) {
  CLI::Option* const grain =
      command
          .add_option("--grain", options.grains,
                      "Say instead what the program gains if tasks that take less become plain calls: times to try, as "
                      "in 1us,10us,100us, or auto")
          ->check(CLI::Validator(check_or_auto<parse_time_list>, "TIMES"));
  CLI::Option* const depth = command
                                 .add_option("--depth", options.depths,
                                             "The same if tasks that lie deeper become plain calls: depths to try, as "
                                             "in 1-12, or auto")
                                 ->check(CLI::Validator(check_or_auto<parse_depth_list>, "LIST"))
                                 ->excludes(grain);
  return {grain, depth};
}

Result<report::CutOffs> best_cut_offs(const Input& input, const analysis::SimulationOptions& settings,
                                      const CutOffOptions& options, const std::vector<std::string>& names,
                                      const std::vector<std::uint32_t>& cores) {
  const char* const option = options.depths.empty() ? "--grain" : "--depth";
  if (!input.run)
    return Error{.what = std::string(option) + " needs a recorded run: a task-graph file does not say which task " +
                         "created another",
                 .path = input.path};
  const analysis::TaskGraph& graph = input.graph();
  const auto kernels = kernels_of(graph, names);
  if (!kernels) return kernels.error();
  ProgressLine progress;
  progress.update(0, "looking at tasks");
  auto cut_offs = cut_offs_of(options, graph);
  if (!cut_offs) return cut_offs.error();
  for (CutOff& cut_off : *cut_offs) cut_off.kernels = *kernels;
  analysis::CutOffGrid grid{.cut_offs = *std::move(cut_offs), .cores = cores, .progress = {}};
  grid.progress = [&progress](double done) { progress.update(done, "trying cut-offs"); };
  auto found = try_cut_offs(graph, settings, grid);
  if (!found) return found.error();
  report::CutOffs answer;
  answer.is_depth = !options.depths.empty();
  answer.policy = settings.policy;
  answer.work_ns = work_ns(graph);
  answer.span_ns = span_ns(graph);
  answer.cores = cores;
  answer.as_it_is = std::move(found->as_it_is);
  answer.trials = std::move(found->trials);
  const auto count_replays = [&answer](const analysis::CutOffTrial& trial) {
    for (const analysis::SimulationResult& replay : trial.replays)
      answer.replays = std::max(answer.replays, replay.replays);
  };
  count_replays(answer.as_it_is);
  std::for_each(answer.trials.begin(), answer.trials.end(), count_replays);
  return answer;
}

Result<report::LoopSchedules> best_schedules(const Input& input, const analysis::SimulationOptions& settings,
                                             const std::vector<std::string>& names,
                                             const std::vector<std::uint32_t>& cores) {
  const analysis::TaskGraph& graph = input.graph();
  if (settings.platform || settings.policy == analysis::Policy::kHeft)
    return Error{"--schedules needs identical cores, and another policy than heft"};
  const auto loops = loops_in_question(graph, names);
  if (!loops) return loops.error();
  const auto figures = work_and_span(graph, settings);
  if (!figures) return figures.error();

  report::LoopSchedules found;
  found.policy = settings.policy;
  found.cores = cores;
  found.work_ns = work_ns(graph);
  found.span_ns = figures->span_ns;
  const bool has_costs = settings.policy == analysis::Policy::kWorkStealing && settings.costs.calibrated_threads > 1;
  for (const std::uint32_t number : has_costs ? cores : std::vector<std::uint32_t>{})
    found.chunk_ns.push_back(number < 2 ? 0 : analysis::team_costs(settings.costs.teams, number).chunk_ns);
  for (const DivisibleLoop& loop : *loops) {
    report::ScheduledLoop& shown = found.loops.emplace_back();
    shown.name = name_of(graph, loop);
    shown.schedule = loop.schedule;
    for (const std::uint32_t kernel : loop.kernels) shown.work_ns += figures->kernel_work_ns[kernel];
  }
  {
    ProgressLine progress;
    auto trials = try_schedules(graph, settings, *loops, cores,
                                [&progress](double done) { progress.update(done, "trying schedules"); });
    if (!trials) return trials.error();
    for (std::size_t loop = 0; loop < loops->size(); ++loop)
      for (analysis::ScheduleTrial& trial : (*trials)[loop])
        found.rows.push_back({.loop = loop, .program = {}, .trial = std::move(trial)});
  }
  for (std::size_t place = 0; place < cores.size() && !loops->empty(); ++place)
    if (auto added = add_gains(input, settings, *loops, place, found); !added) return added.error();
  for (report::ScheduledLoop& loop : found.loops)
    loop.share = found.work_ns > 0 ? static_cast<double>(loop.work_ns) / static_cast<double>(found.work_ns) : 0;
  if (input.run && names.empty()) found.left_alone = loops_left_alone(input.run->report(), kLittleWork, found.loops);
  return found;
}

}  // namespace foretask::cli
