// SPDX-License-Identifier: Apache-2.0
// A recorded program once more, unrecorded, directly after its recorded run: what recording changed. After, so that the
// recording does not find what another run left behind: its files, its standard input read to the end.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launch/recorder.hpp"
#include "foretask/analysis/baseline.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// Where standard input was, if it is a file: each run of a program is to read it from the same place.
class InputPlace {
 public:
  InputPlace() noexcept;
  void go_back() const noexcept;
  // A pipe or a socket: what the first run has read is gone.
  [[nodiscard]] bool is_read_once() const noexcept;

 private:
  off_t offset_;  // negative: it is no file
};

struct BaselineOptions {
  const InputPlace* input = nullptr;  // where each run begins to read; null: there is nothing to read
  bool dies_with_launcher = false;
};

struct UnrecordedRuns {
  std::optional<analysis::Baseline> baseline;  // empty: a signal asked to end, so that the times say nothing
  int asked_to_end = 0;
};

// Runs `command` without the recorder, its standard output thrown away: that of the recorded run has been written.
// `recorded` is how that run ended. The error is for a program that cannot be started any more.
[[nodiscard]] Result<UnrecordedRuns> run_unrecorded(const Recorder& recorder, const std::vector<std::string>& command,
                                                    const ExitStatus& recorded, const BaselineOptions& options = {});

}  // namespace foretask::cli
