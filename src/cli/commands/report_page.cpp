// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "cli/commands/page_kernel_models.hpp"
#include "cli/commands/page_predicted_times.hpp"
#include "cli/commands/replays.hpp"
#include "cli/options/input.hpp"
#include "cli/options/replay_options.hpp"
#include "report/output.hpp"
#include "report/page/anonymous.hpp"
#include "report/page/makespans.hpp"
#include "report/page/page.hpp"
#include "report/page/speed_ups.hpp"
#include "report/units.hpp"

namespace foretask::cli {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;
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

// Strands that replays on so many cores go through, one replay on each number: a team's work becomes one a thread.
double strands_on(const analysis::TaskGraph& graph, const std::vector<std::uint32_t>& cores) {
  double strands = 0;
  for (const std::uint32_t count : cores)
    strands += static_cast<double>(graph.size()) + static_cast<double>(graph.team.phases.size()) * count;
  return strands;
}

// On 1, 2, 4, ... cores, with the kernels of most work some factors faster: as much of it as some two seconds allow.
// Shows progress. Errors: simulate()'s.
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

// Nodes that the replays with drawn times go through together: some two seconds.
constexpr double kMostDrawnVisits = 6e6;
constexpr std::array<std::uint32_t, 3> kReplays{200, 100, 40};

// On the numbers of cores of `ups`, as many as some two seconds allow. Shows progress. Errors: simulate()'s.
Result<report::Makespans> page_makespans(const Input& input, const report::SpeedUps& ups) {
  report::Makespans spans;
  analysis::ReplayGrid grid;
  for (const report::SpeedUpPoint& point : ups.points) grid.cores.push_back(point.cores);
  const double once = strands_on(input.graph(), grid.cores);
  const auto* const chosen = std::find_if(kReplays.begin(), kReplays.end(),
                                          [once](std::uint32_t count) { return once * count <= kMostDrawnVisits; });
  if (ups.points.empty() || chosen == kReplays.end()) {
    spans.reason = fmt::format(
        "The run has {}: replays with drawn task times would take longer than this page. foretask simulate RUN "
        "--samples 100 does them.",
        report::format_count(input.graph().size(), "strand", "strands"));
    return spans;
  }
  const auto settings = replay_settings(input, {});
  if (!settings) return settings.error();
  const auto sampled = run_samples(input, {.samples = *chosen, .runs = {}}, *settings, grid);
  if (!sampled) return sampled.error();
  spans.cores = grid.cores;
  spans.samples = sampled->points.front();
  spans.replays = *chosen;
  spans.tasks = sampled->tasks;
  spans.kept = sampled->kept;
  return spans;
}

// From then on the band of `ups` has 90 % of these replays.
void widen_band(const report::Makespans& spans, report::SpeedUps& ups) {
  if (spans.cores.empty()) return;
  for (std::size_t i = 0; i < ups.points.size(); ++i) {
    ups.points[i].lowest_ns = std::llround(spans.samples[i].quantiles_ns[report::kQ05]);
    ups.points[i].highest_ns = std::llround(spans.samples[i].quantiles_ns[report::kQ95]);
  }
  ups.band = "90 % of the replays whose task times are drawn from similar tasks";
}

void add_fact(Facts& facts, const char* what, std::string value) {
  if (!value.empty()) facts.emplace_back(what, std::move(value));
}

// `folder`: of the recording; empty: not told.
Facts facts_of(const analysis::Report& report, const std::string& folder) {
  const analysis::RecordingOrigin& origin = report.origin;
  Facts facts;
  add_fact(facts, "command", fmt::format("{}", fmt::join(report.command, " ")));
  add_fact(facts, "in the folder", origin.folder);
  add_fact(facts, "host", origin.host);
  add_fact(facts, "recording", folder);
  for (const auto& [name, value] : report.parameters) facts.emplace_back("parameter " + name, value);
  add_fact(facts, "recorded at", origin.started);
  add_fact(facts, "processor", origin.processor_model);
  if (origin.cores != 0)
    add_fact(facts, "cores",
             fmt::format("{}, of which the program was allowed {}", report::format_count(origin.cores, "core", "cores"),
                         report::format_count(origin.processors_usable, "processor", "processors")));
  if (origin.memory_bytes != 0)
    add_fact(facts, "memory", fmt::format("{:.1f} GiB", static_cast<double>(origin.memory_bytes) / (1U << 30U)));
  add_fact(facts, "runtime", origin.runtime_version.empty() ? report.runtime : origin.runtime_version);
  for (const auto& [name, value] : origin.environment) facts.emplace_back(name, value);
  add_fact(facts, "recorded by", origin.version.empty() ? "" : "foretask " + origin.version);
  add_fact(facts, "written by", "foretask " FORETASK_VERSION);
  return facts;
}

std::optional<std::pair<std::int64_t, std::int64_t>> stretch_of(const PageOptions& options) {
  if (!options.from_s && !options.to_s) return std::nullopt;
  const auto ns = [](double seconds) { return static_cast<std::int64_t>(std::llround(seconds * 1e9)); };
  return std::pair{ns(options.from_s.value_or(0)),
                   options.to_s ? ns(*options.to_s) : std::numeric_limits<std::int64_t>::max()};
}

}  // namespace

Result<void> write_report_page(analysis::Run run, const std::string& folder,
                               const std::optional<analysis::CutOffAdvice>& cut_off, const PageOptions& options) {
  Input input;
  input.path = folder;
  input.run = std::move(run);
  auto ups = page_speed_ups(input);
  if (!ups) return ups.error();
  auto spans = page_makespans(input, *ups);
  if (!spans) return spans.error();
  widen_band(*spans, *ups);
  const analysis::Report report = options.is_anonymous ? report::anonymous(input.run->report()) : input.run->report();
  auto predicted = page_predicted_times(input.run->report().program, options.with);
  if (!predicted) return predicted.error();
  if (options.is_anonymous)
    for (std::string& warning : predicted->warnings) warning = report::without_paths(warning);
  const report::Timeline timeline{.graph = input.graph(),
                                  .places = [&input](analysis::NodeIndex node) { return input.run->place(node); },
                                  .program = report.program,
                                  .workers = report.workers,
                                  .is_recorded = true};
  auto output = report::Output::open(options.file);
  if (!output) return output.error();
  const report::PageContent content{
      .report = report,
      .timeline = timeline,
      .cut_off = cut_off,
      .speed_ups = std::move(*ups),
      .kernel_models = page_kernel_models(*input.run),
      .span_part = [&input](analysis::NodeIndex node) { return input.run->span_part_ns(node); },
      .predicted = std::move(*predicted),
      .makespans = std::move(*spans),
      .origin = facts_of(report, options.is_anonymous ? "" : folder),
      .source_link = options.source_link,
      .stretch = stretch_of(options)};
  write_page(content, *output);
  return output->finish();
}

}  // namespace foretask::cli
