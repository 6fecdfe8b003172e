// SPDX-License-Identifier: Apache-2.0
// foretask simulate: the program on other numbers of cores.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/core_list.hpp"
#include "cli/input.hpp"
#include "cli/kernel_match.hpp"
#include "cli/progress.hpp"
#include "foretask/analysis/simulate.hpp"
#include "report/simulation.hpp"

namespace foretask::cli {
namespace {

using analysis::Policy;

constexpr std::array kPolicies{Policy::kFifo,         Policy::kReadyFifo, Policy::kLifo,
                               Policy::kCriticalPath, Policy::kPriority,  Policy::kWorkStealing};

constexpr std::size_t kLargeGraph = 20'000'000;  // nodes

struct Options {
  std::string input;
  InputOptions reading;
  std::string cores;
  std::string policy;
  std::vector<std::string> speedups;
  std::uint64_t seed = 1;
  bool json = false;
};

std::string policy_names() {
  std::string names;
  for (const Policy policy : kPolicies) {
    if (!names.empty()) names += ", ";
    names += policy_name(policy);
  }
  return names;
}

// KERNEL=F. A kernel's name may hold '=' itself.
std::optional<report::Speedup> parse_speedup(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  report::Speedup speedup{.kernel = text.substr(0, equals)};
  const char* const begin = text.data() + equals + 1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, speedup.factor);
  if (begin == end || error != std::errc{} || stop != end) return std::nullopt;
  if (!std::isfinite(speedup.factor) || speedup.factor <= 0) return std::nullopt;
  return speedup;
}

std::string check_cores(const std::string& text) {
  const auto cores = parse_core_list(text);
  return cores ? std::string{} : cores.error().message();
}

std::string check_policy(const std::string& text) {
  return analysis::policy_from_name(text) ? std::string{}
                                          : fmt::format("no policy is called '{}'; there are {}", text, policy_names());
}

std::string check_speedup(const std::string& text) {
  return parse_speedup(text) ? std::string{}
                             : fmt::format("'{}' is not KERNEL=FACTOR with a finite factor above 0", text);
}

// The longest path with the speed-ups in force, rounded as the simulator does.
std::int64_t span_in_force(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options) {
  if (options.speedups.empty()) return span_ns(graph);
  std::vector<double> factor(graph.kernel_names.size(), 1.0);
  for (const auto& [kernel, by] : options.speedups) factor[kernel] = by;
  analysis::TaskGraph faster = graph;
  for (std::size_t i = 0; i < faster.size(); ++i) {
    std::int64_t& duration = faster.duration_ns[i];
    if (const double by = factor[faster.kernel[i]]; by != 1.0 && duration > 0)
      duration = std::llround(static_cast<double>(duration) / by);
  }
  return span_ns(faster);
}

// Work stealing is a matter of chance: a single replay of a few hundred tasks may be some percent off the middle of
// them. A large graph evens it out by itself, and would take its time.
std::size_t replays_of(const analysis::TaskGraph& graph, Policy policy) {
  constexpr std::size_t kMost = 15;
  constexpr std::size_t kNodes = 3'000'000;  // about a second's work
  if (policy != Policy::kWorkStealing) return 1;
  return std::clamp<std::size_t>(kNodes / std::max<std::size_t>(graph.size(), 1), 1, kMost) | 1U;  // odd
}

// Of replays on so many cores the one in the middle.
report::SimulatedRun summary_of(std::uint32_t cores, std::vector<analysis::SimulationResult>& replays) {
  std::sort(replays.begin(), replays.end(), [](const auto& a, const auto& b) { return a.makespan_ns < b.makespan_ns; });
  const analysis::SimulationResult& median = replays[replays.size() / 2];
  return {.cores = cores,
          .makespan_ns = median.makespan_ns,
          .speedup = median.speedup,
          .utilization = median.utilization,
          .replays = replays.size(),
          .lowest_ns = replays.front().makespan_ns,
          .highest_ns = replays.back().makespan_ns};
}

using Results = std::vector<std::vector<analysis::SimulationResult>>;

// Each core count's replays, with a seed each. One replay a thread of this machine at a time; a large graph's one after
// the other, for their memory.
Result<Results> simulate_all(const analysis::TaskGraph& graph, const analysis::SimulationOptions& settings,
                             const std::vector<std::uint32_t>& cores, ProgressLine& progress) {
  const std::size_t replays = replays_of(graph, settings.policy);
  const std::size_t count = cores.size() * replays;
  Results results(cores.size(), std::vector<analysis::SimulationResult>(replays));
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  std::mutex failure_mutex;
  std::optional<Error> failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      analysis::SimulationOptions own = settings;
      own.cores = cores[i / replays];
      own.seed += i % replays;
      auto result = simulate(graph, own);
      if (!result) {
        const std::lock_guard lock(failure_mutex);
        failure = result.error();
        next = count;
        return;
      }
      results[i / replays][i % replays] = std::move(*result);
      progress.update(static_cast<double>(++done) / static_cast<double>(count), "simulating");
    }
  };
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = graph.size() > kLargeGraph ? 1 : std::min(processors, count);
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // joins
  if (failure) return *failure;
  return results;
}

int run(const Options& options) {
  const auto input = load_input(options.input, options.reading);
  if (!input) return fail(input.error());
  const analysis::TaskGraph& graph = input->graph();

  report::Simulation simulation;
  simulation.input = options.input;
  simulation.seed = options.seed;
  simulation.nodes = graph.size();
  simulation.tasks = graph.size();
  simulation.edges = graph.edge_count();
  analysis::SimulationOptions settings;
  settings.seed = options.seed;
  settings.policy = Policy::kCriticalPath;
  if (input->run) {
    const analysis::Report& report = input->run->report();
    settings.policy = Policy::kWorkStealing;
    settings.costs = report.costs;
    simulation.tasks = report.tasks;
    simulation.measured = report::MeasuredRun{report.workers, report.elapsed_ns, report.blocked_ns};
    for (const std::string& warning : report.warnings) note("warning: " + warning);
  }
  if (!options.policy.empty()) settings.policy = *analysis::policy_from_name(options.policy);
  simulation.policy = settings.policy;
  simulation.costs = settings.costs;

  std::map<std::uint32_t, double> factors;
  for (const std::string& text : options.speedups) {
    const report::Speedup speedup = *parse_speedup(text);
    const auto kernels = match_kernels(graph.kernel_names, speedup.kernel);
    if (!kernels) return fail(kernels.error());
    for (const std::uint32_t kernel : *kernels) factors[kernel] = speedup.factor;  // the last one given counts
  }
  for (const auto& [kernel, factor] : factors) {
    settings.speedups.emplace_back(kernel, factor);
    simulation.speedups.push_back({graph.kernel_names[kernel], factor});
  }

  ProgressLine progress;
  const std::vector<std::uint32_t> cores = *parse_core_list(options.cores);
  auto results = simulate_all(graph, settings, cores, progress);
  if (!results) return fail(results.error());
  for (std::size_t i = 0; i < cores.size(); ++i) {
    simulation.work_ns = (*results)[i].front().work_ns;
    simulation.runs.push_back(summary_of(cores[i], (*results)[i]));
  }
  simulation.span_ns = span_in_force(graph, settings);
  progress.clear();
  return print_or_fail(options.json ? simulation_json(simulation) : simulation_text(simulation));
}

}  // namespace

Command add_simulate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("simulate", "Predict the program's time on other numbers of cores");
  command->add_option("INPUT", options->input, "The folder of a recorded run, or a task-graph file")->required();
  command->add_option("--cores", options->cores, "Core counts, as in 1,2,4-64:4")
      ->required()
      ->check(CLI::Validator(check_cores, "LIST"));
  command
      ->add_option("--policy", options->policy,
                   policy_names() + " (default: work-stealing for a run, critical-path for a task-graph file)")
      ->check(CLI::Validator(check_policy, "POLICY"));
  command->add_option("--speedup", options->speedups, "Make a kernel F times as fast (may be given again)")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_speedup, "KERNEL=F"));
  command
      ->add_option("--seed", options->seed,
                   "Seed of work-stealing's random victims (default 1); several replays take the seeds from there on")
      ->check(CLI::Validator(check_number, "N"));
  add_rename(*command, options->reading);
  command->add_flag("--json", options->json, "Write JSON");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
