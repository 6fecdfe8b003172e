// SPDX-License-Identifier: Apache-2.0
// How the processes of one launch shared its time, in words that text and page have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foretask/analysis/processes.hpp"

namespace foretask::report {

// How many there were in what time, those left out included.
[[nodiscard]] std::string processes_words(const analysis::ProcessShares& shares);

// The command, without the program's folder, in at most `most_letters`.
[[nodiscard]] std::string command_words(const analysis::RecordedProcess& process, std::size_t most_letters);

// A time that may not be known.
[[nodiscard]] std::string time_words(const std::optional<std::int64_t>& ns);

// The process's part of all CPU time; not a number where its own is not known.
[[nodiscard]] double cpu_share(const analysis::ProcessShares& shares, const analysis::RecordedProcess& process);

// The places of those with the most CPU time, ascending.
inline constexpr std::size_t kProcessesShown = 20;
[[nodiscard]] std::vector<std::size_t> largest_processes(const analysis::ProcessShares& shares);

// Which process the rest of a report is about.
[[nodiscard]] std::string shown_words(const analysis::ProcessShares& shares);

// Empty without processes.
[[nodiscard]] std::string processes_text(const analysis::ProcessShares& shares);

}  // namespace foretask::report
