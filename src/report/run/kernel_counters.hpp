// SPDX-License-Identifier: Apache-2.0
// The parts of a report about counters and about the spread of the kernels' times.
#pragma once

#include <string>

#include "foretask/analysis/run.hpp"
#include "report/json_output.hpp"

namespace foretask::report {

// Empty where there is nothing to say.
[[nodiscard]] std::string counters_text(const analysis::Report& report);
[[nodiscard]] std::string spread_text(const analysis::Report& report);
[[nodiscard]] std::string samples_text(const analysis::Report& report);

// Adds the keys of one kernel, and of the report.
void add_counters_json(const analysis::KernelSummary& kernel, Json& json);
void add_counters_json(const analysis::Report& report, Json& json);

}  // namespace foretask::report
