// SPDX-License-Identifier: Apache-2.0
// The times of a kernel's recorded tasks, to make distributions of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

struct TaskTimes {
  std::string kernel;               // its name in the report
  std::vector<double> ns;           // one a task that ran, in order of creation; without probe cost
  std::vector<std::uint8_t> ended;  // 0: cut short, as its taskgroup was cancelled
};

// `kernel`: a name in the report, or the function where only one kernel has it. A task's time is the sum of its
// strands, as in KernelSummary::mean_ns, without its waits. The task that cancels its group has ended. A kernel without
// tasks gives its samples. Where a recording does not say who cancels, every task that ended with a cancelled group
// counts as cut short. O(strands); thread safe. Errors: no such kernel (lists similar names), several, none of its
// tasks ran.
[[nodiscard]] Result<TaskTimes> task_times(const Run& run, const std::string& kernel);

}  // namespace foretask::analysis
