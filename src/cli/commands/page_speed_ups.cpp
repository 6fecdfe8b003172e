// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/page_speed_ups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "cli/commands/replays.hpp"
#include "cli/options/replay_options.hpp"
#include "report/units.hpp"

namespace foretask::cli {
namespace {

using analysis::Report;
using report::SpeedUps;

// Nodes that all replays together go through: some two seconds.
constexpr double kMostVisits = 12e6;
constexpr double kLeastShare = 0.01;  // of the work, for a kernel to be made faster
// What is left out first comes first.
struct Extent {
  std::uint32_t most_cores;
  std::uint32_t replays;
  std::size_t kernels;
  std::vector<double> factors;
};
const std::array<Extent, 6> kExtents{{{64, 5, 10, {1.25, 1.5, 2, 3, 5, 10}},
                                      {64, 3, 8, {1.5, 2, 4}},
                                      {64, 1, 8, {1.5, 2, 4}},
                                      {64, 1, 5, {2}},
                                      {16, 1, 5, {2}},
                                      {64, 1, 0, {}}}};

std::vector<std::uint32_t> core_counts(std::uint32_t workers, std::uint32_t most) {
  std::vector<std::uint32_t> cores;
  for (std::uint32_t count = 1; count <= std::max(most, workers); count *= 2) cores.push_back(count);
  if (std::find(cores.begin(), cores.end(), workers) == cores.end()) cores.push_back(workers);
  std::sort(cores.begin(), cores.end());
  return cores;
}

// Those of the graph that the report calls so.
std::vector<std::pair<std::uint32_t, double>> faster(const std::vector<std::string>& names, const std::string& kernel,
                                                     double factor) {
  std::vector<std::pair<std::uint32_t, double>> all;
  for (std::uint32_t i = 0; i < names.size(); ++i)
    if (names[i] == kernel) all.emplace_back(i, factor);
  return all;
}

}  // namespace

double strands_on(const analysis::TaskGraph& graph, const std::vector<std::uint32_t>& cores) {
  double strands = 0;
  for (const std::uint32_t count : cores)
    strands += static_cast<double>(graph.size()) + static_cast<double>(graph.team.phases.size()) * count;
  return strands;
}

Result<SpeedUps> page_speed_ups(const Input& input) {
  const Report& report = input.run->report();
  const analysis::TaskGraph& graph = input.graph();
  SpeedUps ups;
  const auto visits = [&](const Extent& extent) {
    return strands_on(graph, core_counts(report.workers, extent.most_cores)) * extent.replays *
           static_cast<double>(1 + extent.kernels * extent.factors.size());
  };
  const auto chosen =
      std::find_if(kExtents.begin(), kExtents.end(), [&](const Extent& one) { return visits(one) <= kMostVisits; });
  if (chosen == kExtents.end()) {
    ups.reason = fmt::format(
        "The run has {}: replays would take longer than this page. foretask simulate and foretask whatif do them.",
        report::format_count(graph.size(), "strand", "strands"));
    return ups;
  }
  const auto settings = replay_settings(input, {});
  if (!settings) return settings.error();
  const std::vector<std::uint32_t> cores = core_counts(report.workers, chosen->most_cores);
  analysis::ReplayGrid grid;
  grid.cores = cores;
  grid.replays = chosen->replays;
  for (std::uint32_t kernel = 0; kernel < report.kernels.size() && ups.kernels.size() < chosen->kernels; ++kernel) {
    const double share =
        report::ratio(static_cast<double>(report.kernels[kernel].work_ns), static_cast<double>(report.work_ns));
    if (share >= kLeastShare) ups.kernels.push_back(kernel);
  }
  ups.factors = chosen->factors;
  for (const std::uint32_t kernel : ups.kernels)
    for (const double factor : ups.factors)
      grid.scenarios.push_back({.speedups = faster(graph.kernel_names, report.kernels[kernel].name, factor)});
  const auto replays = run_replays(graph, *settings, grid);
  if (!replays) return replays.error();
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const analysis::SimulationResult& base = replays->front()[i];
    ups.points.push_back({cores[i], base.makespan_ns, base.lowest_ns, base.highest_ns});
  }
  for (std::size_t row = 1; row < replays->size(); ++row)
    for (const analysis::SimulationResult& result : (*replays)[row]) ups.makespans_ns.push_back(result.makespan_ns);
  ups.how = fmt::format("policy {}, the median of {}", analysis::policy_name(settings->policy),
                        report::format_count(replays->front().front().replays, "replay", "replays"));
  if (chosen->kernels == 0)
    ups.reason = fmt::format(
        "The run has {}: replays with faster kernels would take longer than this page. foretask whatif does them.",
        report::format_count(graph.size(), "strand", "strands"));
  return ups;
}

}  // namespace foretask::cli
