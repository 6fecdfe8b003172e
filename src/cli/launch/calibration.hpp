// SPDX-License-Identifier: Apache-2.0
// Measures what a runtime's own work takes here: records a program whose tasks do nothing, on growing numbers
// of threads.
#pragma once

#include <string>

#include "cli/launch/task_runtime.hpp"
#include "foretask/analysis/scheduling_costs.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// With the runtime of this name (a TaskRuntime's) that programs are given here, some 0.5 s for each number of threads:
// 1, 2, 4, ... and all processors that this process may use. Errors: the calibration program is not installed, or
// cannot be recorded.
[[nodiscard]] Result<analysis::RuntimeCosts> calibrate(const std::string& runtime);

// Does so before a program is recorded on `runtime`, unless its costs are stored, or
// FORETASK_CALIBRATE is 0. Says so on standard error, and why where it fails. Not for one of several processes that
// were started together: they would disturb each other.
void calibrate_once(const TaskRuntime& runtime);

}  // namespace foretask::cli
