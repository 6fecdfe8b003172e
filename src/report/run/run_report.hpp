// SPDX-License-Identifier: Apache-2.0
// What a recorded run showed, for a person and for a program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foretask/analysis/cut_off_advice.hpp"
#include "foretask/analysis/efficiencies.hpp"
#include "foretask/analysis/run.hpp"

namespace foretask::report {

enum class Detail { kShort, kAll };

// Leads with the answer, in ten lines: how long, how parallel, where the workers' time went and what to do about it.
// Then the kernels, and what the recording lost. kAll: also why a kernel's tasks differ, the critical paths, and the
// graph's figures.
[[nodiscard]] std::string report_text(const analysis::Report& report, Detail detail = Detail::kShort,
                                      const std::optional<analysis::CutOffAdvice>& cut_off = {},
                                      const std::vector<analysis::Efficiencies>& efficiencies = {});

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string report_json(const analysis::Report& report,
                                      const std::optional<analysis::CutOffAdvice>& cut_off = {},
                                      const std::vector<analysis::Efficiencies>& efficiencies = {});

}  // namespace foretask::report
