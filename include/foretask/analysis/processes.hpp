// SPDX-License-Identifier: Apache-2.0
// The recorded processes of one launch, such as those of a shell script: how they shared its time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foretask::analysis {

struct RecordedProcess {
  std::string
      name;  // what its folder's name has behind that of the first one: "2", "rank0", "rank0.2"; of the first "1"
  std::string folder;  // of its recording
  std::string program;
  std::vector<std::string> command;
  std::optional<std::int64_t> start_ns;    // after the launch; empty: not known, or on another machine
  std::optional<std::int64_t> elapsed_ns;  // from its start to its end, or to its last event if its end was not seen
  std::optional<std::int64_t> cpu_ns;      // of all its threads; empty: the end was not seen
  bool has_ended = false;                  // the recording came to its end
};

struct ProcessShares {
  std::vector<RecordedProcess> processes;  // in the order in which they began to record, each rank's by themselves
  std::size_t shown = 0;                   // the one that a report is about
  std::int64_t cpu_ns = 0;                 // of all
  // From the launch to the end of the last process, and the part of it in which none of them ran. Empty where a time is
  // not known.
  std::optional<std::int64_t> elapsed_ns;
  std::optional<std::int64_t> idle_ns;
  std::uint64_t left_out = 0;        // processes that are not recorded, since ...
  std::uint32_t most_processes = 0;  // ... these are the most
};

// The processes whose recordings are `folder` and, beside it, `folder`.2, `folder`.rank0, ... of the same launch.
// Without any where there is only one and none was left out. Shown is the one with the most CPU time.
[[nodiscard]] ProcessShares read_process_shares(const std::string& folder);

// The first recording beside `folder` that a new launch's process would be taken for: a process's of an earlier launch
// that recorded into `folder`. Empty: there is none.
[[nodiscard]] std::string left_over_process(const std::string& folder);

}  // namespace foretask::analysis
