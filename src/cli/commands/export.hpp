// SPDX-License-Identifier: Apache-2.0
// What the parts of `foretask export` share: its options, and the timelines that it draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/options/input.hpp"
#include "cli/options/machine_options.hpp"
#include "cli/options/replay_options.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"
#include "report/output.hpp"
#include "report/timeline/timeline.hpp"

namespace foretask::cli {

struct ExportOptions {
  std::string input;
  InputOptions reading;
  std::string format;
  std::string output;
  std::size_t max_nodes = 0;
  bool gzip = false;
  std::uint32_t cores = 0;  // 0: not given
  MachineOptions machine;   // but for the cores
  ReplayOptions replay;

  [[nodiscard]] bool shows_replay() const {
    return cores != 0 || !machine.workers.empty() || !machine.platform.empty();
  }
};

// A replay that is exported, with the settings that made it.
struct ExportedReplay {
  analysis::SimulationOptions settings;
  std::optional<analysis::TaskGraph> divided;  // what was replayed in the input's place
  analysis::SimulationResult result;
};

// With --models the input has their times then.
[[nodiscard]] Result<ExportedReplay> replay_for_export(Input& input, const ExportOptions& options);

// A run's program; of a task-graph file its name without folder and extension.
[[nodiscard]] std::string program_of(const Input& input);

// As recorded; the input is a run, and stays.
[[nodiscard]] report::Timeline recorded_timeline(const Input& input);

// Input and replay stay.
[[nodiscard]] report::Timeline replayed_timeline(const Input& input, const ExportedReplay& replay);

// An empty path is standard output.
[[nodiscard]] Result<report::Output> open_output(const std::string& path, bool gzip);

// export_paraver.cpp: FILE.prv and beside it FILE.pcf and FILE.row; only the .prv is compressed.
[[nodiscard]] Result<void> export_paraver(const report::Timeline& timeline, const ExportOptions& options);
// What is wrong with the file's name, or nothing.
[[nodiscard]] std::string check_paraver_output(const ExportOptions& options);

// export_profile.cpp: profile-csv and profile-svg. Speed-ups are shown beside the replay without them.
[[nodiscard]] Result<void> export_profile(const Input& input, const std::optional<ExportedReplay>& replay,
                                          const ExportOptions& options);

}  // namespace foretask::cli
