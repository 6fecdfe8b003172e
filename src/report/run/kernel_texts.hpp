// SPDX-License-Identifier: Apache-2.0
// The parts of a report about counters, about the spread of the kernels' times, and about the functions within them.
#pragma once

#include <string>

#include "foretask/analysis/run.hpp"

namespace foretask::report {

// Empty where there is nothing to say.
[[nodiscard]] std::string counters_text(const analysis::Report& report);
[[nodiscard]] std::string spread_text(const analysis::Report& report);
[[nodiscard]] std::string samples_text(const analysis::Report& report);

// The functions within a kernel, as rows of the table of kernels.
struct FunctionRows {
  std::string text;          // a line each
  bool has_missing = false;  // one of them says what no sample shows
};

// Below `kernel`'s own row. None where all is in the kernel's own function: its name says it.
[[nodiscard]] FunctionRows function_rows(const analysis::Report& report, const analysis::KernelSummary& kernel);

// Below the table: what the rows are worth, or why there are none.
[[nodiscard]] std::string sampling_text(const analysis::FunctionSampling& sampling, bool has_missing);

}  // namespace foretask::report
