// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/whatif_cut_offs.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

#include "cli/commands/replays.hpp"
#include "cli/options/lists.hpp"
#include "cli/progress.hpp"
#include "report/kernel_match.hpp"
#include "report/run/reading.hpp"

namespace foretask::cli {
namespace {

using analysis::CutOff;

constexpr const char* kAuto = "auto";

template <typename Parsed>
std::string problem_of(const Parsed& parsed) {
  return parsed ? std::string{} : parsed.error().what;
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
    const auto grains = parse_time_list(options.grains);
    if (!grains) return grains.error();
    for (const std::int64_t grain_ns : *grains) cut_offs.push_back({.grain_ns = grain_ns, .kernels = {}});
  } else {
    const auto depths = parse_depth_list(options.depths);
    if (!depths) return depths.error();
    for (const std::uint32_t depth : *depths) cut_offs.push_back({.depth = depth, .kernels = {}});
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

std::string check_grains(const std::string& text) {
  return text == kAuto ? std::string{} : problem_of(parse_time_list(text));
}

std::string check_depths(const std::string& text) {
  return text == kAuto ? std::string{} : problem_of(parse_depth_list(text));
}

}  // namespace

std::vector<CLI::Option*> add_cut_off_options(CLI::App& command, CutOffOptions& options) {
  CLI::Option* const grain =
      command
          .add_option("--grain", options.grains,
                      "Say instead what the program gains if tasks that take less become plain calls: times to try, as "
                      "in 1us,10us,100us, or auto")
          ->check(CLI::Validator(check_grains, "TIMES"));
  CLI::Option* const depth = command
                                 .add_option("--depth", options.depths,
                                             "The same if tasks that lie deeper become plain calls: depths to try, as "
                                             "in 1-12, or auto")
                                 ->check(CLI::Validator(check_depths, "LIST"))
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
  answer.contents = report::contents_words(input.run->report());
  answer.is_depth = !options.depths.empty();
  answer.policy = settings.policy;
  answer.work_ns = work_ns(graph);
  answer.span_ns = span_ns(graph);
  answer.cores = cores;
  answer.as_it_is = std::move(found->as_it_is);
  answer.trials = std::move(found->trials);
  answer.assumed_even = assumed_even(input);
  const auto count_replays = [&answer](const analysis::CutOffTrial& trial) {
    for (const analysis::SimulationResult& replay : trial.replays)
      answer.replays = std::max(answer.replays, replay.replays);
  };
  count_replays(answer.as_it_is);
  std::for_each(answer.trials.begin(), answer.trials.end(), count_replays);
  return answer;
}

}  // namespace foretask::cli
