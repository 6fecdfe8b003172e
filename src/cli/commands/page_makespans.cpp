// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/page_makespans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/commands/page_speed_ups.hpp"
#include "cli/commands/replays.hpp"
#include "cli/options/replay_options.hpp"
#include "report/units.hpp"

namespace foretask::cli {
namespace {

// Nodes that all replays together go through: some two seconds.
constexpr double kMostVisits = 6e6;
constexpr std::array<std::uint32_t, 3> kReplays{200, 100, 40};

}  // namespace

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

void widen_band(const report::Makespans& spans, report::SpeedUps& ups) {
  if (spans.cores.empty()) return;
  for (std::size_t i = 0; i < ups.points.size(); ++i) {
    ups.points[i].lowest_ns = std::llround(spans.samples[i].quantiles_ns[report::kQ05]);
    ups.points[i].highest_ns = std::llround(spans.samples[i].quantiles_ns[report::kQ95]);
  }
  ups.band = "90 % of the replays whose task times are drawn from similar tasks";
}

}  // namespace foretask::cli
