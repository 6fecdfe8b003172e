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

// Of the kernel whose name in the report is `kernel`, or the only one whose function is. A task's time is the sum of
// its strands, as in KernelSummary::mean_ns: its waiting does not count. The task that cancels its group did what it
// was to do: it ended. Where a kernel has no tasks, the times that the program measured itself. In a recording of a
// version that did not record who cancels, every task that ended with a cancelled group counts as cut short.
// O(strands); thread safe. Errors: no such kernel (with the names that
// are near), several, none of its tasks ran.
[[nodiscard]] Result<TaskTimes> task_times(const Run& run, const std::string& kernel);

}  // namespace foretask::analysis
