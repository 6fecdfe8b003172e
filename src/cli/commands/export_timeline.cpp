// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "cli/commands/export.hpp"

namespace foretask::cli {
namespace {

// A platform's workers are numbered node by node. Empty: identical cores.
std::vector<std::uint32_t> nodes_of_workers(const analysis::SimulationOptions& settings) {
  std::vector<std::uint32_t> nodes;
  if (!settings.platform) return nodes;
  for (std::uint32_t node = 0; node < settings.platform->nodes.size(); ++node)
    nodes.insert(nodes.end(), workers_of(settings.platform->nodes[node], settings.cores), node);
  return nodes;
}

}  // namespace

Result<ExportedReplay> replay_for_export(Input& input, const ExportOptions& options) {
  auto platform = platform_of(input, options.machine, options.cores != 0);
  if (!platform) return platform.error();
  auto settings = replay_settings(input, options.replay, *std::move(platform));
  if (!settings) return settings.error();
  settings->cores = options.cores;
  settings->keep_schedule = true;
  // Loops are divided as in a replay that keeps no schedule.
  auto divided = Result<std::optional<analysis::TaskGraph>>(std::nullopt);
  const bool is_plain = !settings->platform && settings->policy != analysis::Policy::kHeft;
  if (is_plain)
    divided =
        analysis::graph_on_cores(input.graph(), options.cores, {},
                                 settings->policy == analysis::Policy::kWorkStealing ? &settings->costs : nullptr);
  if (!divided) return divided.error();
  auto result = simulate(*divided ? **divided : input.graph(), *settings);
  if (!result) return result.error();
  return ExportedReplay{std::move(*settings), *std::move(divided), std::move(*result)};
}

std::string program_of(const Input& input) {
  return input.run ? input.run->report().program : std::filesystem::path(input.path).stem().string();
}

report::Timeline recorded_timeline(const Input& input) {
  return {.graph = input.graph(),
          .places = [&input](analysis::NodeIndex node) { return input.run->place(node); },
          .program = program_of(input),
          .workers = input.run->report().workers,
          .is_recorded = true};
}

report::Timeline replayed_timeline(const Input& input, const ExportedReplay& replay) {
  std::vector<std::uint32_t> nodes = nodes_of_workers(replay.settings);
  const auto workers = nodes.empty() ? replay.settings.cores : static_cast<std::uint32_t>(nodes.size());
  return {.graph = replay.divided ? *replay.divided : input.graph(),
          .places =
              [&schedule = replay.result.schedule](analysis::NodeIndex node) {
                const analysis::ScheduledNode& entry = schedule[node];
                return analysis::StrandPlace{entry.start_ns, entry.end_ns, entry.worker};
              },
          .program = program_of(input),
          .workers = workers,
          .is_one_pool = replay.settings.platform == nullptr,
          .node_of_worker = std::move(nodes)};
}

Result<report::Output> open_output(const std::string& path, bool gzip) {
  return report::Output::open(path, gzip ? report::Compression::kGzip : report::Compression::kNone);
}

}  // namespace foretask::cli
