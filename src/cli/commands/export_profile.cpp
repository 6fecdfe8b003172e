// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "cli/commands/export.hpp"
#include "report/figure/profile_export.hpp"
#include "report/units.hpp"

namespace foretask::cli {
namespace {

constexpr std::size_t kLongestLabel = 80;  // bytes that a figure has room for, beside its own words

// "with gemm 2 times as fast, trsm 4 times as fast", as the user named them.
std::string label_of(const std::vector<std::string>& speedups) {
  std::string text;
  for (const std::string& speedup : speedups) {
    const std::size_t equals = speedup.rfind('=');
    text += fmt::format("{} {} {} times as fast", text.empty() ? "with" : ",", speedup.substr(0, equals),
                        speedup.substr(equals + 1));
  }
  return text.size() <= kLongestLabel ? text : text.substr(0, kLongestLabel) + "...";
}

// The program without its folder.
std::string name_of(const Input& input) { return std::filesystem::path(program_of(input)).filename().string(); }

// "cholesky, 16 cores, critical-path"
std::string title_of(const Input& input, const ExportedReplay& replay, std::uint32_t cores) {
  const bool is_machine = replay.settings.platform != nullptr;
  const std::string where =
      report::format_count(cores, is_machine ? "worker" : "core", is_machine ? "workers" : "cores");
  return fmt::format("{}, {}, {}", name_of(input), where, policy_name(replay.settings.policy));
}

Result<void> write_one(const report::Timeline& timeline, const std::string& title, const std::string& how,
                       const ExportOptions& options) {
  auto output = open_output(options.output, options.gzip);
  if (!output) return output.error();
  const report::BusyProfile profile(timeline);
  if (options.format == "profile-csv") {
    write_profile_csv(profile, *output);
  } else {
    write_profile_svg(title, {{how, profile, timeline.workers}}, *output);
  }
  return output->finish();
}

// Without the speed-ups and with them.
Result<void> write_both(const Input& input, const ExportedReplay& faster, const ExportOptions& options) {
  const report::Timeline timeline = replayed_timeline(input, faster);
  const report::BusyProfile after(timeline);
  ExportedReplay plain{.settings = faster.settings, .divided = faster.divided, .result = {}};
  plain.settings.speedups.clear();
  auto result = simulate(plain.divided ? *plain.divided : input.graph(), plain.settings);
  if (!result) return result.error();
  plain.result = std::move(*result);
  const report::BusyProfile before(replayed_timeline(input, plain));

  auto output = open_output(options.output, options.gzip);
  if (!output) return output.error();
  if (options.format == "profile-csv") {
    write_profile_csv(before, after, *output);
  } else {
    const std::uint32_t cores = timeline.workers;
    write_profile_svg(title_of(input, faster, cores),
                      {{"before", before, cores}, {label_of(options.replay.speedups), after, cores}}, *output);
  }
  return output->finish();
}

}  // namespace

Result<void> export_profile(const Input& input, const std::optional<ExportedReplay>& replay,
                            const ExportOptions& options) {
  if (!replay) {
    const std::string title =
        fmt::format("{}, {}", name_of(input), report::format_count(input.run->report().workers, "worker", "workers"));
    return write_one(recorded_timeline(input), title, "as recorded", options);
  }
  if (!replay->settings.speedups.empty()) return write_both(input, *replay, options);
  const report::Timeline timeline = replayed_timeline(input, *replay);
  return write_one(timeline, title_of(input, *replay, timeline.workers), "replayed", options);
}

}  // namespace foretask::cli
