// SPDX-License-Identifier: Apache-2.0
// The times of a kernel's recorded tasks, one by one: what distributions are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

struct TaskTimes {
  std::string kernel;               // its name in the report
  std::vector<double> ns;           // one a task that ran, in order of creation; probe cost taken out
  std::vector<std::uint8_t> ended;  // 0: cut short, its taskgroup was cancelled while it ran
};

// Of the kernel whose name in the report is `kernel`, or the only one whose function is. O(strands). Errors: no such
// kernel, several, none of its tasks ran.
[[nodiscard]] Result<TaskTimes> task_times(const Run& run, const std::string& kernel);

}  // namespace foretask::analysis
