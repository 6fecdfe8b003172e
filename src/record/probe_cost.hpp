// SPDX-License-Identifier: Apache-2.0
// What an event costs the thread that records it, measured on this machine at start, so that analysis can take it out.
#pragma once

#include <array>

#include "foretask/hook.h"

namespace foretask::record {

// ns an event, by kind; 0 for kinds that are not measured.
using ProbeCosts = std::array<double, FORETASK_EVENT_KINDS>;

// Appends each kind some thousands of times to a stream in memory and takes the median of many batches. About 2 ms.
[[nodiscard]] ProbeCosts measure_probe_costs(double ticks_per_second);

}  // namespace foretask::record
