// SPDX-License-Identifier: Apache-2.0
// Measures what the OpenMP runtime's own work takes here: records a program whose tasks do nothing, on growing numbers
// of threads.
#pragma once

#include <string>

#include "foretask/analysis/scheduling_costs.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// With the libomp that is loaded in `environment`, some 0.5 s for each number of threads: 1, 2, 4, ... and all
// processors that this process may use. Errors: the calibration program is not installed, or cannot be recorded.
[[nodiscard]] Result<analysis::RuntimeCosts> calibrate();

// Does so before a program is recorded on `runtime` (a libomp's file; empty: none), unless its costs are stored, or
// FORETASK_CALIBRATE is 0. Says so on standard error, and why where it fails. Not for one of several processes that
// were started together: they would disturb each other.
void calibrate_once(const std::string& runtime);

}  // namespace foretask::cli
