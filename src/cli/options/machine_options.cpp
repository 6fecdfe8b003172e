// SPDX-License-Identifier: Apache-2.0
#include "cli/options/machine_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/options/lists.hpp"
#include "foretask/analysis/model_times.hpp"

namespace foretask::cli {
namespace {

void warn_of(const analysis::ModelTimes& times) {
  if (times.predicted != times.tasks)
    note(fmt::format("warning: no time on {} for {} of {} tasks of '{}' that need one: {}", times.worker_class,
                     times.tasks - times.predicted, times.tasks, times.kernel, times.reason));
  if (times.extrapolated != 0)
    note(fmt::format(
        "warning: {} of {} times of '{}' on {} are extrapolated: their parameters lie outside of what was learned",
        times.extrapolated, times.predicted, times.kernel, times.worker_class));
}

// The input's graph then has the times that the stored models predict on these classes (add_model_times()). A line on
// standard error for each kernel and class with tasks that still have none, or with times that are extrapolated. The
// error: there is no store.
Result<void> add_times_of_models(Input& input, const std::vector<std::string>& classes) {
  if (input.run) input.own = analysis::graph_with_parameters(*input.run);
  const auto times = analysis::add_model_times(*input.own, classes);
  if (!times) return times.error();
  for (const analysis::ModelTimes& one : *times) warn_of(one);
  return {};
}

// Each once.
std::vector<std::string> classes_of(const analysis::Platform& platform, bool adds_cores) {
  std::vector<std::string> classes;
  if (adds_cores) classes.emplace_back(analysis::kPlainCore);
  for (const analysis::PlatformNode& node : platform.nodes)
    for (const analysis::WorkerGroup& group : node.workers)
      if (std::find(classes.begin(), classes.end(), group.worker_class) == classes.end())
        classes.push_back(group.worker_class);
  return classes;
}

// That some task of the graph can run on each class, but for plain cores, which a machine has anyway.
Result<void> check_classes(const std::vector<std::string>& classes, const std::vector<std::string>& known) {
  for (const std::string& one : classes)
    if (one != analysis::kPlainCore && std::find(known.begin(), known.end(), one) == known.end())
      return Error{
          fmt::format("no task has a duration on the worker class '{}'; the known classes are {}{}{}. Give "
                      "durations by --models, or by `on` in a task-graph file",
                      one, analysis::kPlainCore, known.empty() ? "" : ", ", fmt::join(known, ", "))};
  return {};
}

}  // namespace

void add_platform_options(CLI::App& command, CLI::Option* cores, MachineOptions& options) {
  CLI::Option* const workers =
      command
          .add_option("--workers", options.workers, "Instead of --cores: workers of several classes, as in cpu=8,gpu=2")
          ->check(CLI::Validator(check<analysis::platform_of_workers>, "LIST"))
          ->excludes(cores);
  command
      .add_option("--platform", options.platform,
                  "A platform file, which describes nodes, their workers and the network")
      ->check(CLI::Validator(check_not_empty, "FILE"))
      ->excludes(workers);
  command.add_flag(
      "--models", options.models,
      "With --workers or --platform: stored kernel models predict the times that tasks lack on a worker class");
}

void check_platform_options(const MachineOptions& options) {
  if (options.models && options.workers.empty() && options.platform.empty())
    throw CLI::RequiresError("--models", "--workers or --platform");
}

void add_machine_options(CLI::App& command, MachineOptions& options) {
  CLI::Option* const cores =
      command
          .add_option("--cores", options.cores, "Numbers of cores, as in 1,2,4-64:4 (with --platform: of each node)")
          ->check(CLI::Validator(check<parse_core_list>, "LIST"));
  add_platform_options(command, cores, options);
  command.parse_complete_callback([&options] {
    if (options.cores.empty() && options.workers.empty() && options.platform.empty())
      throw CLI::RequiredError("--cores LIST (or --workers, or --platform)");
    check_platform_options(options);
  });
}

Result<std::shared_ptr<const analysis::Platform>> platform_of(Input& input, const MachineOptions& options,
                                                              bool adds_cores) {
  std::shared_ptr<const analysis::Platform> none;
  if (options.workers.empty() && options.platform.empty()) return none;
  const auto platform = options.platform.empty() ? analysis::platform_of_workers(options.workers)
                                                 : analysis::read_platform(options.platform);
  if (!platform) return platform.error();
  const std::vector<std::string> classes = classes_of(*platform, adds_cores);
  if (options.models)
    if (auto added = add_times_of_models(input, classes); !added) return added.error();
  if (auto known = check_classes(classes, input.graph().class_names); !known) return known.error();
  return std::make_shared<const analysis::Platform>(*platform);
}

std::vector<std::uint32_t> core_counts(const MachineOptions& options) {
  return options.cores.empty() ? std::vector<std::uint32_t>{0} : *parse_core_list(options.cores);
}

std::uint64_t workers_of(const analysis::PlatformNode& node, std::uint32_t cores) noexcept {
  std::uint64_t workers = cores;
  for (const analysis::WorkerGroup& group : node.workers)
    if (cores == 0 || group.worker_class != analysis::kPlainCore) workers += group.count;
  return workers;
}

std::uint64_t workers_of(const analysis::SimulationOptions& settings, std::uint32_t cores) {
  if (!settings.platform) return cores;
  std::uint64_t workers = 0;
  for (const analysis::PlatformNode& node : settings.platform->nodes) workers += workers_of(node, cores);
  return workers;
}

std::string machine_words(const analysis::SimulationOptions& settings, bool cores_are_of_each) {
  if (!settings.platform) return {};
  const std::vector<analysis::PlatformNode>& nodes = settings.platform->nodes;
  if (nodes.size() > 1) return fmt::format("{}{} nodes", cores_are_of_each ? "each of " : "", nodes.size());
  std::string words;
  for (const analysis::WorkerGroup& group : nodes.front().workers)
    words += fmt::format("{}{} {}", words.empty() ? "" : " and ", group.count, group.worker_class);
  return words;
}

}  // namespace foretask::cli
