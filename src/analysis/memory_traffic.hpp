// SPDX-License-Identifier: Apache-2.0
// A kernel's traffic between memory and the last-level cache, of its counted misses.
#pragma once

#include "foretask/analysis/run.hpp"

namespace foretask::analysis {

// Bytes, a line of 64 a miss; NaN where no counter of such misses was recorded. Of PAPI's and the kernel's names of one
// event the first that was counted.
[[nodiscard]] double memory_bytes_of(const KernelSummary& kernel);

}  // namespace foretask::analysis
