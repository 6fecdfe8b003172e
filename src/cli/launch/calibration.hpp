// SPDX-License-Identifier: Apache-2.0
// Measures what a runtime's own work takes here: records a program whose tasks do nothing, on growing numbers
// of threads.
#pragma once

#include <string>
#include <vector>

#include "foretask/analysis/scheduling_costs.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// Of the runtime with this name (task_runtime.hpp), in the library `file`; empty: the one that programs are given here.
// Some 0.5 s for each number of threads: 1, 2, 4, ... and all processors that this process may use. Errors: the
// calibration program is not installed, or cannot be recorded.
[[nodiscard]] Result<analysis::RuntimeCosts> calibrate(const std::string& runtime, const std::string& file);

// Before an answer about recordings of a program, in these folders: measures the first one's runtime, and stores that,
// where neither the recording nor the store has the costs. Says so on standard error, and also where it cannot. Does
// nothing for what is no recording, and where FORETASK_CALIBRATE is 0.
void calibrate_for(const std::vector<std::string>& folders);

}  // namespace foretask::cli
