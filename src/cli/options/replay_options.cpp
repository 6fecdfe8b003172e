// SPDX-License-Identifier: Apache-2.0
#include "cli/options/replay_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "cli/command.hpp"
#include "cli/options/lists.hpp"
#include "foretask/analysis/makespan.hpp"
#include "report/kernel_match.hpp"

namespace foretask::cli {
namespace {

using analysis::Policy;

constexpr std::array kPolicies{Policy::kFifo,     Policy::kReadyFifo,    Policy::kLifo, Policy::kCriticalPath,
                               Policy::kPriority, Policy::kWorkStealing, Policy::kHeft};

struct Speedup {
  std::string kernel;
  double factor = 1;
};

std::string policy_names(std::string_view separator) {
  std::string names;
  for (const Policy policy : kPolicies) {
    if (!names.empty()) names += separator;
    names += policy_name(policy);
  }
  return names;
}

// KERNEL=F. A kernel's name may hold '=' itself.
std::optional<Speedup> parse_speedup(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  Speedup speedup{.kernel = text.substr(0, equals)};
  const char* const begin = text.data() + equals + 1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, speedup.factor);
  if (begin == end || error != std::errc{} || stop != end) return std::nullopt;
  if (!std::isfinite(speedup.factor) || speedup.factor <= 0) return std::nullopt;
  return speedup;
}

std::string check_policy(const std::string& text) {
  return analysis::policy_from_name(text)
             ? std::string{}
             : fmt::format("no policy is called '{}'; there are {}", text, policy_names(", "));
}

std::string check_speedup(const std::string& text) {
  return parse_speedup(text) ? std::string{} : fmt::format("'{}' is not KERNEL=F with a finite number F above 0", text);
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
      ->check(CLI::Validator(check_speedup, "KERNEL=F"));
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

bool is_scheduled(const analysis::Report& report) { return report.runtime != "sequential" && report.runtime != "mpi"; }

Result<analysis::SimulationOptions> replay_settings(const Input& input, const ReplayOptions& options,
                                                    std::shared_ptr<const analysis::Platform> platform) {
  analysis::SimulationOptions settings;
  settings.policy = Policy::kCriticalPath;
  settings.seed = options.seed;
  if (input.run) {
    settings.costs = input.run->report().costs;
    // What has met no scheduler yet an ideal one shows.
    if (is_scheduled(input.run->report())) settings.policy = Policy::kWorkStealing;
  }
  if (platform)
    settings.policy = platform->any_node && platform->nodes.size() > 1 ? Policy::kHeft : Policy::kCriticalPath;
  settings.platform = std::move(platform);
  if (!options.policy.empty()) settings.policy = *analysis::policy_from_name(options.policy);
  std::map<std::uint32_t, double> factors;
  for (const std::string& text : options.speedups) {
    const Speedup speedup = *parse_speedup(text);
    const auto kernels = report::match_kernels(input.graph().kernel_names, speedup.kernel);
    if (!kernels) return kernels.error();
    for (const std::uint32_t kernel : *kernels) factors[kernel] = speedup.factor;
  }
  settings.speedups.assign(factors.begin(), factors.end());
  return settings;
}

}  // namespace foretask::cli
