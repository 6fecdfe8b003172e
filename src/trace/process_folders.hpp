// SPDX-License-Identifier: Apache-2.0
// The folders of the processes of one launch: DIR, DIR.2, DIR.3, ... in the order in which they began to record.
//
// The first folder has the file .processes once there is a second process. Each process but the first appends a '.';
// the file's length then, plus 1, is its number. It appends a '+' for each name that was taken already, and a '!' if it
// is not recorded because there are as many recordings as wanted. So a process finds its name in a few system calls,
// however many there are, and the file counts them all.
#pragma once

#include <cstdint>
#include <string>

#include "foretask/result.hpp"

namespace foretask::trace {

inline constexpr const char* kProcessesFile = ".processes";

// "run", 3 -> "run.3"; "run", 1 -> "run".
[[nodiscard]] std::string process_folder(const std::string& first, std::uint32_t number);

struct ProcessFolder {
  std::string path;          // which is made; empty: this process is not to be recorded
  std::uint32_t number = 0;  // of the process
};

// A new folder for this process, among at most `most`. Any number of processes may call it at once.
[[nodiscard]] Result<ProcessFolder> make_process_folder(const std::string& first, std::uint32_t most);

struct ProcessCounts {
  std::uint64_t recorded = 1;
  std::uint64_t left_out = 0;  // these began after the last one that is recorded
};

// Of the launch whose first folder is `first`.
[[nodiscard]] ProcessCounts count_processes(const std::string& first);

}  // namespace foretask::trace
