// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <utility>

#include "cli/export.hpp"

namespace foretask::cli {

Result<ExportedReplay> replay_for_export(const Input& input, const ExportOptions& options) {
  auto settings = replay_settings(input, options.replay);
  if (!settings) return settings.error();
  settings->cores = options.cores;
  settings->keep_schedule = true;
  auto result = simulate(input.graph(), *settings);
  if (!result) return result.error();
  return ExportedReplay{std::move(*settings), std::move(*result)};
}

std::string program_of(const Input& input) {
  return input.run ? input.run->report().program : std::filesystem::path(input.path).stem().string();
}

report::Timeline recorded_timeline(const Input& input) {
  return {.graph = input.graph(),
          .places = [&input](analysis::NodeIndex node) { return input.run->place(node); },
          .program = program_of(input),
          .workers = input.run->report().workers};
}

report::Timeline replayed_timeline(const Input& input, const ExportedReplay& replay) {
  return {.graph = input.graph(),
          .places =
              [&schedule = replay.result.schedule](analysis::NodeIndex node) {
                const analysis::ScheduledNode& entry = schedule[node];
                return analysis::StrandPlace{entry.start_ns, entry.end_ns, entry.worker};
              },
          .program = program_of(input),
          .workers = replay.settings.cores,
          .is_one_pool = true};
}

Result<report::Output> open_output(const std::string& path, bool gzip) {
  return report::Output::open(path, gzip ? report::Compression::kGzip : report::Compression::kNone);
}

}  // namespace foretask::cli
