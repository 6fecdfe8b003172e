// SPDX-License-Identifier: Apache-2.0
// A recorded program once more, unrecorded, directly after its recorded run: what recording changed. After, so that the
// recording does not find what another run left behind: its files, its standard input read to the end.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/launch/recorder.hpp"

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
  std::string lead;              // of each line on standard error
  bool says_differences = true;  // what recording changed; else only that the runs ended differently
};

// Runs `command` without the recorder, its standard output thrown away: that of the recorded run has been written. Puts
// both runs' times into the first recording of `recorded`. What keeps it from that is said: the recording is good
// without. Returns the signal that asked to end meanwhile, so that the times say nothing; 0 for none.
[[nodiscard]] int add_baseline(const Recorder& recorder, const std::vector<std::string>& command,
                               const RecordedRun& recorded, const BaselineOptions& options);

}  // namespace foretask::cli
