// SPDX-License-Identifier: Apache-2.0
// What a recorded run showed, for a person and for a program.
#pragma once

#include <string>

#include "foretask/analysis/run.hpp"

namespace foretask::report {

// Leads with the answer: how long, how parallel, where the workers' time went and what to do about it. Then the
// kernels, the critical paths, and what the recording lost.
[[nodiscard]] std::string report_text(const analysis::Report& report);

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string report_json(const analysis::Report& report);

}  // namespace foretask::report
