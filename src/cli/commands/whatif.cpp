// SPDX-License-Identifier: Apache-2.0
// foretask whatif: what the program gains when one kernel becomes faster, its loops have other schedules, or it creates
// fewer tasks.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/replays.hpp"
#include "cli/commands/whatif_trials.hpp"
#include "cli/launch/calibration.hpp"
#include "cli/options/input.hpp"
#include "cli/options/lists.hpp"
#include "cli/options/machine_options.hpp"
#include "cli/options/replay_options.hpp"
#include "foretask/analysis/simulate.hpp"
#include "report/plain_text.hpp"
#include "report/run/reading.hpp"
#include "report/short_names.hpp"
#include "report/whatif/whatif.hpp"

namespace foretask::cli {
namespace {

// Options of the question which kernel to make faster, and of no other one.
constexpr const char* kOfKernels[] = {"--factors", "--workers", "--platform", "--remove", "--add-cores", "--samples"};

struct Options {
  std::string input;
  InputOptions reading;
  std::string factors = "2";
  MachineOptions machine;
  ReplayOptions replay;
  std::vector<std::string> kernels;  // empty: all
  std::vector<std::string> removed;
  bool add_cores = false;
  bool schedules = false;
  CutOffOptions cut_offs;
  SampleOptions sampling;
  std::vector<std::string> with;  // with `schedules` alone
  bool json = false;
  bool csv = false;
};

using KernelGroup = std::vector<std::uint32_t>;  // kernels of one name

// Two standard errors of the difference of two medians of `replays` normal values, as a part of the values' range: the
// median's is 1.2533 sigma / sqrt(n), the range's mean d2 sigma (d2 as in tables of statistical process control). 0
// where there is one replay: a graph so large evens chance out by itself.
double chance_of_range(std::uint32_t replays) {
  static const std::map<std::uint32_t, double> d2{{3, 1.693},  {5, 2.326},  {7, 2.704}, {9, 2.970},
                                                  {11, 3.173}, {13, 3.336}, {15, 3.472}};
  const auto found = d2.find(replays);
  if (found == d2.end()) return 0;
  return 2 * std::sqrt(2.0) * 1.2533 / (std::sqrt(static_cast<double>(replays)) * found->second);
}

// The kernels asked for, in the graph's order; those of one name together.
Result<std::vector<KernelGroup>> groups_of(const std::vector<std::string>& names,
                                           const std::vector<std::string>& wanted) {
  std::vector<bool> chosen(names.size(), wanted.empty());
  for (const std::string& name : wanted) {
    const auto kernels = report::match_kernels(names, name);
    if (!kernels) return kernels.error();
    for (const std::uint32_t kernel : *kernels) chosen[kernel] = true;
  }
  std::vector<KernelGroup> groups;
  std::map<std::string, std::size_t> place;
  for (std::uint32_t kernel = 0; kernel < names.size(); ++kernel) {
    if (!chosen[kernel]) continue;
    const auto [found, is_new] = place.try_emplace(names[kernel], groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(kernel);
  }
  return groups;
}

// A function, and its part of the time of each kernel that it was seen in.
struct FunctionPart {
  std::string name;
  std::vector<std::pair<std::uint32_t, double>> of_kernels;
};

// Those of a recording that are worth a row. Not one that is all of its kernel: it has that one's row.
std::vector<FunctionPart> functions_of(const Input& input) {
  constexpr double kLeast = 0.02;  // of the work
  constexpr double kWhole = 0.95;  // of a kernel
  constexpr std::uint64_t kFewSamples = 10;
  if (!input.run) return {};
  const analysis::Report& report = input.run->report();
  struct Seen {
    FunctionPart part;
    std::uint64_t samples = 0;
    std::int64_t time_ns = 0;
  };
  std::map<std::string, Seen> by_name;
  const std::vector<std::string>& names = input.graph().kernel_names;
  for (const analysis::KernelSummary& kernel : report.kernels) {
    const auto index = static_cast<std::uint32_t>(std::find(names.begin(), names.end(), kernel.name) - names.begin());
    for (const analysis::FunctionTime& function : kernel.functions) {
      Seen& seen = by_name[function.name];
      const double part =
          static_cast<double>(function.time_ns) / static_cast<double>(std::max<std::int64_t>(1, kernel.work_ns));
      seen.part.of_kernels.emplace_back(index, std::min(1.0, part));
      seen.samples += function.samples;
      seen.time_ns += function.time_ns;
    }
  }
  std::vector<FunctionPart> functions;
  for (auto& [name, seen] : by_name) {
    const bool is_small = static_cast<double>(seen.time_ns) < kLeast * static_cast<double>(report.work_ns);
    const bool is_whole = seen.part.of_kernels.size() == 1 && seen.part.of_kernels.front().second > kWhole;
    if (is_small || is_whole || seen.samples < kFewSamples) continue;
    seen.part.name = name;
    functions.push_back(std::move(seen.part));
  }
  return functions;
}

// What the options ask for, as scenarios of one sweep: the program as it is, then kernel by kernel.
class Question {
 public:
  Question(const Input& input, const analysis::SimulationOptions& settings, std::vector<KernelGroup> groups,
           std::vector<KernelGroup> removed, std::vector<FunctionPart> functions, const Options& options)
      : input_(input),
        settings_(settings),
        groups_(std::move(groups)),
        removed_(std::move(removed)),
        functions_(std::move(functions)),
        options_(options),
        factors_(*parse_factor_list(options.factors)),
        cores_(core_counts(options.machine)) {}

  [[nodiscard]] Result<report::WhatIf> answer() {
    analysis::ReplayGrid grid;
    grid.cores = cores_;
    for (const KernelGroup& group : groups_) {
      for (const double factor : factors_) {
        analysis::Scenario& scenario = grid.scenarios.emplace_back();
        for (const std::uint32_t kernel : group) scenario.speedups.emplace_back(kernel, factor);
      }
    }
    for (const KernelGroup& group : removed_) grid.scenarios.push_back({.speedups = {}, .removed = group});
    for (const FunctionPart& function : functions_) {
      for (const double factor : factors_) {
        analysis::Scenario& scenario = grid.scenarios.emplace_back();
        for (const auto& [kernel, part] : function.of_kernels)
          scenario.speedups.emplace_back(kernel, 1 / (1 - part + part / factor));
      }
    }
    const auto replays = run_replays(input_.graph(), settings_, grid);
    if (!replays) return replays.error();
    const auto figures = work_and_span(input_.graph(), settings_);
    if (!figures) return figures.error();

    report::WhatIf result;
    result.policy = settings_.policy;
    for (const Row& row : *replays)
      for (const analysis::SimulationResult& point : row) result.replays = std::max(result.replays, point.replays);
    result.factors = factors_;
    for (const std::uint32_t cores : cores_) result.cores.push_back(shown_cores(settings_, cores));
    result.machine = machine_words(settings_, cores_.front() != 0);
    result.work_ns = replays->front().front().work_ns;
    result.span_ns = figures->span_ns;
    describe_kernels(result, figures->kernel_work_ns);
    const Row& base = replays->front();
    std::size_t scenario = 1;
    for (std::size_t kernel = 0; kernel < groups_.size(); ++kernel)
      for (const double factor : factors_) add_rows(result.rows, kernel, factor, base, (*replays)[scenario++]);
    for (std::size_t i = 0; i < removed_.size(); ++i)
      add_rows(result.removed, groups_.size() + i, std::numeric_limits<double>::infinity(), base,
               (*replays)[scenario++]);
    for (std::size_t i = 0; i < functions_.size(); ++i)
      for (const double factor : factors_) add_rows(result.function_rows, i, factor, base, (*replays)[scenario++]);
    if (options_.sampling.samples != 0)
      if (auto sampled = add_samples(result, grid); !sampled) return sampled.error();
    if (options_.add_cores)
      if (auto added = add_more_cores(result, base); !added) return added.error();
    return result;
  }

 private:
  using Row = std::vector<analysis::SimulationResult>;

  void describe_kernels(report::WhatIf& result, const std::vector<std::int64_t>& work_ns) const {
    const analysis::TaskGraph& graph = input_.graph();
    std::vector<std::uint64_t> tasks(graph.kernel_names.size());
    std::vector<bool> is_counted(graph.parent_of_task.size());  // of a recording: its tasks have several strands
    for (std::size_t node = 0; node < graph.size(); ++node) {
      if (!graph.task_of_node.empty()) {
        const std::uint32_t task = graph.task_of_node[node];
        if (!graph.occupies_worker(node) || is_counted[task]) continue;
        is_counted[task] = true;
      }
      ++tasks[graph.kernel[node]];
    }
    double all_ns = 0;
    for (const std::int64_t ns : work_ns) all_ns += static_cast<double>(ns);
    for (const auto* groups : {&groups_, &removed_}) {
      for (const KernelGroup& group : *groups) {
        report::WhatIfKernel kernel{.name = graph.kernel_names[group.front()]};
        for (const std::uint32_t member : group) {
          kernel.work_ns += work_ns[member];
          kernel.tasks += tasks[member];
        }
        kernel.share = all_ns > 0 ? static_cast<double>(kernel.work_ns) / all_ns : 0;
        result.kernels.push_back(std::move(kernel));
      }
    }
    for (const FunctionPart& function : functions_) {
      report::WhatIfKernel shown{.name = function.name};
      for (const auto& [kernel, part] : function.of_kernels)
        shown.work_ns += static_cast<std::int64_t>(part * static_cast<double>(work_ns[kernel]));
      shown.share = all_ns > 0 ? static_cast<double>(shown.work_ns) / all_ns : 0;
      result.functions.push_back(std::move(shown));
    }
  }

  void add_rows(std::vector<report::WhatIfRow>& rows, std::size_t kernel, double factor, const Row& base,
                const Row& points) const {
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      const std::int64_t gain_ns = base[i].makespan_ns - points[i].makespan_ns;
      rows.push_back({.kernel = kernel,
                      .factor = factor,
                      .cores = shown_cores(settings_, cores_[i]),
                      .base_ns = base[i].makespan_ns,
                      .makespan_ns = points[i].makespan_ns,
                      .below_overhead = std::abs(gain_ns) < uncertainty_ns(base[i], points[i], cores_[i])});
    }
  }

  // Rows and scenarios are in the same order; the first scenario is the program as it is.
  [[nodiscard]] Result<void> add_samples(report::WhatIf& result, const analysis::ReplayGrid& grid) const {
    const auto sampled = run_samples(input_, options_.sampling, settings_, grid);
    if (!sampled) return sampled.error();
    result.sampled = sample_count(input_, *sampled, options_.sampling);
    std::size_t place = cores_.size();
    for (auto* rows : {&result.rows, &result.removed, &result.function_rows}) {
      for (report::WhatIfRow& row : *rows) {
        const std::uint32_t cores = cores_[place % cores_.size()];
        const analysis::MakespanSample& point = sampled->points[place / cores_.size()][place % cores_.size()];
        ++place;
        row.sampled = report::SampledGain{point.gain_p05, point.gain_p50, point.gain_p95};
        const bool holds_zero = point.gain_p05 <= 0 && point.gain_p95 >= 0;
        row.below_overhead = holds_zero || std::abs(row.base_ns - row.makespan_ns) < overhead_ns(cores);
      }
    }
    return {};
  }

  // A gain below it may not be seen: what creating and dispatching the tasks costs each core, as calibrated from the
  // recording, and how much replays differ by chance.
  [[nodiscard]] std::int64_t uncertainty_ns(const analysis::SimulationResult& base,
                                            const analysis::SimulationResult& point, std::uint32_t cores) const {
    const std::int64_t range_ns = std::max(base.highest_ns - base.lowest_ns, point.highest_ns - point.lowest_ns);
    const double chance = chance_of_range(std::max(base.replays, point.replays));
    return std::max(overhead_ns(cores), static_cast<std::int64_t>(chance * static_cast<double>(range_ns)));
  }

  [[nodiscard]] std::int64_t overhead_ns(std::uint32_t cores) const {
    if (!input_.run) return 0;
    const analysis::TeamCosts costs = analysis::team_costs(input_.run->report().costs.teams, cores);
    const std::int64_t task_ns = costs.create_ns + costs.body_ns + costs.dispatch_ns;
    return static_cast<std::int64_t>(input_.run->report().tasks) * task_ns /
           static_cast<std::int64_t>(workers_of(settings_, cores));
  }

  [[nodiscard]] Result<void> add_more_cores(report::WhatIf& result, const Row& base) const {
    analysis::ReplayGrid twice;
    for (const std::uint32_t cores : cores_) twice.cores.push_back(std::min(2 * cores, kMaxCores));
    const auto replays = run_replays(input_.graph(), settings_, twice);
    if (!replays) return replays.error();
    for (std::size_t i = 0; i < cores_.size(); ++i)
      result.more_cores.push_back({{cores_[i], base[i].makespan_ns, replays->front()[i].makespan_ns}, twice.cores[i]});
    return {};
  }

  const Input& input_;
  analysis::SimulationOptions settings_;
  std::vector<KernelGroup> groups_;
  std::vector<KernelGroup> removed_;
  std::vector<FunctionPart> functions_;
  const Options& options_;
  std::vector<double> factors_;
  std::vector<std::uint32_t> cores_;
};

void describe(const Input& input, report::ReplayedInput& answer) {
  answer.input = input.path;
  answer.tasks = input.run ? input.run->report().tasks : input.graph().size();
  if (input.run) answer.contents = report::contents_words(input.run->report());
  answer.assumed_even = assumed_even(input);
}

int answer_schedules(Input& input, const analysis::SimulationOptions& settings, const Options& options) {
  auto pooled = pool_runs(input, options.reading, options.with, settings, false);
  if (!pooled) return fail(pooled.error());
  auto found = best_schedules(input, settings, options.kernels, core_counts(options.machine));
  if (!found) return fail(found.error());
  describe(input, *found);
  found->pooled = std::move(pooled->loops);
  return print_or_fail(options.json  ? loop_schedules_json(*found)
                       : options.csv ? loop_schedules_csv(*found)
                                     : report::wrapped(loop_schedules_text(*found)));
}

int answer_cut_offs(const Input& input, const analysis::SimulationOptions& settings, const Options& options) {
  auto found = best_cut_offs(input, settings, options.cut_offs, options.kernels, core_counts(options.machine));
  if (!found) return fail(found.error());
  describe(input, *found);
  return print_or_fail(options.json  ? cut_offs_json(*found)
                       : options.csv ? cut_offs_csv(*found)
                                     : report::wrapped(cut_offs_text(*found)));
}

int run(const Options& options) {
  calibrate_for({options.input});
  auto input = load_input(options.input, options.reading);
  if (!input) return fail(input.error());
  auto platform = platform_of(*input, options.machine, !options.machine.cores.empty());
  if (!platform) return fail(platform.error());
  const std::vector<std::string>& names = input->graph().kernel_names;
  const auto settings = replay_settings(*input, options.replay, *platform);
  if (!settings) return fail(settings.error());
  if (options.schedules || options.cut_offs.any()) {
    if (input->run) note_warnings(input->run->report());
    return options.schedules ? answer_schedules(*input, *settings, options)
                             : answer_cut_offs(*input, *settings, options);
  }
  const auto groups = groups_of(names, options.kernels);
  if (!groups) return fail(groups.error());
  Result<std::vector<KernelGroup>> removed = std::vector<KernelGroup>{};
  if (!options.removed.empty()) removed = groups_of(names, options.removed);
  if (!removed) return fail(removed.error());
  if (input->run) note_warnings(input->run->report());

  auto whatif = Question(*input, *settings, *groups, *removed,
                         options.kernels.empty() ? functions_of(*input) : std::vector<FunctionPart>{}, options)
                    .answer();
  if (!whatif) return fail(whatif.error());
  describe(*input, *whatif);
  return print_or_fail(options.json  ? whatif_json(*whatif)
                       : options.csv ? whatif_csv(*whatif)
                                     : report::wrapped(whatif_text(*whatif)));
}

}  // namespace

Command add_whatif(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "whatif", "Say what the program gains from a faster kernel, a loop's other schedule, or fewer tasks");
  command->add_option("INPUT", options->input, "The folder of a recorded run, or a task-graph file")->required();
  command
      ->add_option("--factors", options->factors,
                   "Kernel factors: how many times as fast each kernel becomes, as in 2,100 (default 2)")
      ->check(CLI::Validator(check<parse_factor_list>, "LIST"));
  add_machine_options(*command, options->machine);
  add_policy_option(*command, options->replay);
  command
      ->add_option("--kernel", options->kernels,
                   "Only show the gain of this kernel or loop (repeatable; default: every one's)")
      ->allow_extra_args(false);
  command->add_option("--remove", options->removed, "Also show the gain if this kernel took no time (repeatable)")
      ->allow_extra_args(false);
  command->add_flag("--add-cores", options->add_cores, "Also show the gain from twice the cores")
      ->needs(command->get_option("--cores"));
  add_speedup_option(*command, options->replay);
  add_seed_option(*command, options->replay, ". Further replays use the next seeds");
  add_sample_option(*command, options->sampling);
  add_rename(*command, options->reading);
  CLI::Option* json = command->add_flag("--json", options->json, "Write JSON");
  command->add_flag("--csv", options->csv, "Write CSV")->excludes(json);
  CLI::Option* schedules = command->add_flag(
      "--schedules", options->schedules, "Say which schedule would suit each parallel loop, instead of faster kernels");
  for (const char* other : kOfKernels) schedules->excludes(command->get_option(other));
  add_with_option(*command, options->with)->needs(schedules);
  for (CLI::Option* const cut_off : add_cut_off_options(*command, options->cut_offs)) {
    for (const char* other : kOfKernels) cut_off->excludes(command->get_option(other));
    cut_off->excludes(schedules)->excludes(command->get_option("--speedup"));
  }
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
