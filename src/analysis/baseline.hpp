// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "foretask/analysis/baseline.hpp"
#include "trace/process_facts.hpp"

namespace foretask::wiring {

// Empty where the recording has none that can be compared with.
[[nodiscard]] std::optional<analysis::Baseline> baseline_of(const trace::Baseline& recorded);

}  // namespace foretask::wiring
