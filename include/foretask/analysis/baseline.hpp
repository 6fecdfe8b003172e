// SPDX-License-Identifier: Apache-2.0
// What a recorded program takes without the recorder: measured by `foretask record --baseline`, kept in the recording.
#pragma once

#include <cstdint>
#include <string>

#include "foretask/result.hpp"

namespace foretask::analysis {

// A run of the program, as its parent saw it.
struct LaunchedRun {
  std::string runtime;          // its OpenMP runtime: "libgomp", "libomp"; empty: not known
  std::int64_t elapsed_ns = 0;  // of the whole process
  int exit_code = 0;
  int signal = 0;  // that killed it; 0: none

  // A run that ended in another way did something else: their times say nothing of each other.
  [[nodiscard]] bool ended_like(const LaunchedRun& other) const noexcept {
    return exit_code == other.exit_code && signal == other.signal;
  }
};

// The unrecorded run beside a recorded one.
struct Baseline {
  LaunchedRun own;
  LaunchedRun recorded;  // the recorded run itself, likewise measured: recording included
};

// Adds the unrecorded run to the recording in `folder`. Errors: run.json is damaged, or cannot be read or written.
[[nodiscard]] Result<void> note_baseline(const std::string& folder, const Baseline& baseline);

}  // namespace foretask::analysis
