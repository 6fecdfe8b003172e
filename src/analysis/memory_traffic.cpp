// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory_traffic.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace foretask::analysis {

double memory_bytes_of(const KernelSummary& kernel) {
  constexpr double kLine = 64;
  constexpr std::array kMisses{"PAPI_L3_TCM", "perf::PERF_COUNT_HW_CACHE_MISSES", "perf::CACHE-MISSES",
                               "perf::LLC-LOAD-MISSES"};
  for (const char* const name : kMisses) {
    const auto found = std::find_if(kernel.counters.begin(), kernel.counters.end(),
                                    [name](const CounterSummary& counter) { return counter.name == name; });
    // Of the tasks that were counted, for all.
    if (found != kernel.counters.end() && found->tasks > 0)
      return kLine * found->mean * static_cast<double>(kernel.count);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace foretask::analysis
