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
#include "cli/commands/page_speed_ups.hpp"
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

// Nodes that all replays together go through: some two seconds.
constexpr double kMostVisits = 6e6;
constexpr std::array<std::uint32_t, 3> kReplays{200, 100, 40};

// On the numbers of cores of `ups`, as many as some two seconds allow. Shows progress. Errors: simulate()'s.
Result<report::Makespans> page_makespans(const Input& input, const report::SpeedUps& ups) {
  report::Makespans spans;
  analysis::ReplayGrid grid;
  for (const report::SpeedUpPoint& point : ups.points) grid.cores.push_back(point.cores);
  const double once = strands_on(input.graph(), grid.cores);
  const auto* const chosen = std::find_if(kReplays.begin(), kReplays.end(),
                                          [once](std::uint32_t count) { return once * count <= kMostVisits; });
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
