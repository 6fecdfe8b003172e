// SPDX-License-Identifier: Apache-2.0
// Measures the time of a runtime's own work on this machine: records a program whose tasks do nothing, on growing
// numbers of threads.
#pragma once

#include <string>
#include <vector>

#include "foretask/analysis/scheduling_costs.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// `runtime`: its name (program_runtimes.hpp). `file`: its library; empty: the library that programs get on this
// machine. Some 0.5 s for each number of threads: 1, 2, 4, ... and all processors that this process may use. Errors:
// the calibration program is not installed, or cannot be recorded.
[[nodiscard]] Result<analysis::RuntimeCosts> calibrate(const std::string& runtime, const std::string& file);

// Called before an answer about recordings of a program, in these folders. Measures the first one's runtime and stores
// its costs, if neither the recording nor the store has them. Says so on standard error, or why it cannot. Does nothing
// if the folders hold no recording, or FORETASK_CALIBRATE is 0.
void calibrate_for(const std::vector<std::string>& folders);

}  // namespace foretask::cli
