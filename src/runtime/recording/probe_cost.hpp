// SPDX-License-Identifier: Apache-2.0
// What an event costs the thread that records it, measured on this machine at start, so that analysis can take it out.
#pragma once

#include "trace/process_facts.hpp"

namespace foretask::runtime {

// Appends each kind some thousands of times to a stream in memory and takes the median of many batches. About 2 ms.
// `contracts`: to one on which small tasks are contracted.
[[nodiscard]] trace::ProbeCosts measure_probe_costs(double ticks_per_second, bool contracts = false);

}  // namespace foretask::runtime
