// SPDX-License-Identifier: Apache-2.0
#include "cli/options/replay_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "cli/command.hpp"
#include "cli/options/lists.hpp"
#include "foretask/analysis/makespan.hpp"
#include "report/short_names.hpp"
#include "report/units.hpp"

namespace foretask::cli {
namespace {

using analysis::Policy;

constexpr std::array kPolicies{Policy::kFifo,     Policy::kReadyFifo,    Policy::kLifo, Policy::kCriticalPath,
                               Policy::kPriority, Policy::kWorkStealing, Policy::kHeft};

std::string policy_names(std::string_view separator) {
  std::string names;
  for (const Policy policy : kPolicies) {
    if (!names.empty()) names += separator;
    names += policy_name(policy);
  }
  return names;
}

// KERNEL=F. A kernel's name may hold '=' itself.
Result<std::pair<std::string, double>> parse_speedup(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const bool has_name = equals != std::string::npos && equals != 0;
  const auto factor = has_name ? report::parse_number<double>(text.substr(equals + 1)) : std::nullopt;
  if (!factor || !std::isfinite(*factor) || *factor <= 0)
    return Error{fmt::format("'{}' is not KERNEL=F with a finite number F above 0", text)};
  return std::pair{text.substr(0, equals), *factor};
}

// LOOP=KIND[,CHUNK], in OpenMP's words. A loop's name may hold '=' itself.
Result<std::pair<std::string, analysis::NamedSchedule>> parse_schedule(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const bool has_name = equals != std::string::npos && equals != 0;
  const auto named = has_name ? analysis::schedule_from_name(std::string_view(text).substr(equals + 1)) : std::nullopt;
  if (!named)
    return Error{
        fmt::format("'{}' is not LOOP=KIND[,CHUNK] with static, dynamic or guided, and a chunk from 1 on", text)};
  return std::pair{text.substr(0, equals), *named};
}

// Why `wanted`, which is called `kernels`, has no schedule.
Error not_a_loop(const analysis::TaskGraph& graph, const std::vector<std::uint32_t>& kernels,
                 const std::string& wanted) {
  if (std::any_of(kernels.begin(), kernels.end(),
                  [&graph](std::uint32_t kernel) { return report::is_region(graph.kernel_names[kernel]); }))
    return Error{fmt::format(
        "the recording does not show the loops of the parallel region {}, so they cannot have another schedule. Of "
        "programs by GCC it shows those with schedule(dynamic), guided or runtime",
        wanted)};
  return Error{fmt::format("{} is no parallel loop; foretask report lists the loops", wanted)};
}

Result<std::vector<analysis::LoopChange>> loop_changes(const analysis::TaskGraph& graph,
                                                       const std::vector<std::string>& schedules) {
  std::vector<analysis::LoopChange> changes;
  for (const std::string& text : schedules) {
    const auto [loop, named] = *parse_schedule(text);
    const auto kernels = report::match_kernels(graph.kernel_names, loop);
    if (!kernels) return kernels.error();
    const std::size_t before = changes.size();
    for (const std::uint32_t kernel : *kernels) {
      const bool is_loop =
          std::any_of(graph.team.loops.begin(), graph.team.loops.end(),
                      [kernel](const analysis::TeamLoop& one) { return one.kernel == kernel && !one.is_taskloop; });
      if (is_loop) changes.push_back({kernel, named.schedule, named.chunk});
    }
    if (changes.size() == before) return not_a_loop(graph, *kernels, loop);
  }
  return changes;
}

std::string check_policy(const std::string& text) {
  return analysis::policy_from_name(text)
             ? std::string{}
             : fmt::format("no policy is called '{}'; there are {}", text, policy_names(", "));
}

}  // namespace

CLI::Option* add_core_count_option(CLI::App& command, std::uint32_t& cores, const std::string& help) {
  return command.add_option("--cores", cores, help)->check(CLI::Validator(whole_number(1, kMaxCores), "N"));
}

CLI::Option* add_policy_option(CLI::App& command, ReplayOptions& options) {
  return command
      .add_option(
          "--policy", options.policy,
          "The rule that picks the next task. Default: work-stealing for OpenMP recordings on identical cores, heft on "
          "a platform of several nodes with placement any, else critical-path")
      ->check(CLI::Validator(check_policy, "{" + policy_names(",") + "}"));
}

CLI::Option* add_speedup_option(CLI::App& command, ReplayOptions& options) {
  return command.add_option("--speedup", options.speedups, "Make a kernel F times as fast (repeatable)")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check<parse_speedup>, "KERNEL=F"));
}

CLI::Option* add_schedule_option(CLI::App& command, ReplayOptions& options) {
  return command
      .add_option("--schedule", options.schedules,
                  "Run a parallel loop under another schedule: static, dynamic or guided (repeatable)")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check<parse_schedule>, "LOOP=KIND[,CHUNK]"));
}

CLI::Option* add_seed_option(CLI::App& command, ReplayOptions& options, std::string_view note) {
  return command.add_option("--seed", options.seed, fmt::format("Random seed (default 1){}", note))
      ->check(CLI::Validator(whole_number(), "N"));
}

CLI::Option* add_sample_option(CLI::App& command, SampleOptions& options) {
  return command
      .add_option("--samples", options.samples,
                  "Replay N times with task times drawn from similar tasks, and print the spread")
      ->check(CLI::Validator(whole_number(1, analysis::kMostMakespanSamples), "N"));
}

void add_runs_option(CLI::App& command, SampleOptions& options, CLI::Option* samples) {
  command
      .add_option(
          "--runs", options.runs,
          "With --samples: other recordings of the same program, comma-separated. They show how much runs differ")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(samples);
}

CLI::Option* add_with_option(CLI::App& command, std::vector<std::string>& runs) {
  return command
      .add_option(
          "--with", runs,
          "Other recordings of the same program and input, comma-separated: on other numbers of threads, or "
          "under other loop schedules. They show more of what loops' iterations cost; and simulate takes kernels' "
          "work on other numbers of threads from them")
      ->delimiter(',')
      ->allow_extra_args(false);
}

bool is_scheduled(const analysis::Report& report) {
  return report.costs.rules.queue != analysis::RuntimeRules::Queue::kNone;
}

Result<analysis::SimulationOptions> replay_settings(const Input& input, const ReplayOptions& options,
                                                    std::shared_ptr<const analysis::Platform> platform) {
  analysis::SimulationOptions settings;
  settings.policy = Policy::kCriticalPath;
  settings.seed = options.seed;
  if (input.run) {
    // How long StarPU's workers wait in between says little of what its scheduler costs.
    if (!input.run->report().costs.rules.has_submitter) settings.costs = input.run->report().costs;
    // What has met no scheduler yet an ideal one shows, and so where tasks are not stolen.
    if (is_scheduled(input.run->report())) settings.policy = Policy::kWorkStealing;
  }
  if (platform)
    settings.policy = platform->any_node && platform->nodes.size() > 1 ? Policy::kHeft : Policy::kCriticalPath;
  settings.platform = std::move(platform);
  if (!options.policy.empty()) settings.policy = *analysis::policy_from_name(options.policy);
  std::map<std::uint32_t, double> factors;
  for (const std::string& text : options.speedups) {
    const auto [name, factor] = *parse_speedup(text);
    const auto kernels = report::match_kernels(input.graph().kernel_names, name);
    if (!kernels) return kernels.error();
    for (const std::uint32_t kernel : *kernels) factors[kernel] = factor;
  }
  settings.speedups.assign(factors.begin(), factors.end());
  if (!options.schedules.empty() && (settings.platform || settings.policy == Policy::kHeft))
    return Error{.what = "--schedule needs identical cores, and another policy than heft"};
  auto changes = loop_changes(input.graph(), options.schedules);
  if (!changes) return changes.error();
  settings.loops = *std::move(changes);
  return settings;
}

}  // namespace foretask::cli
