// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel_details.hpp"

#include <cmath>

#include "catch.hpp"

using foretask::analysis::KernelSummary;
using foretask::wiring::memory_bytes_of;

TEST_CASE("a miss of the last-level cache is a line of 64 bytes") {
  KernelSummary kernel;
  kernel.count = 1000;
  CHECK(std::isnan(memory_bytes_of(kernel)));
  kernel.counters = {{.name = "PAPI_TOT_INS", .tasks = 1000, .mean = 5}};
  CHECK(std::isnan(memory_bytes_of(kernel)));
  // Of one task in ten it was counted: the others have as many.
  kernel.counters.push_back({.name = "PAPI_L3_TCM", .tasks = 100, .mean = 3});
  CHECK(memory_bytes_of(kernel) == 64 * 3 * 1000.0);
  kernel.counters[1].tasks = 0;
  CHECK(std::isnan(memory_bytes_of(kernel)));
}
