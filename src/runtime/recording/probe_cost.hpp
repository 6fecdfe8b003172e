// SPDX-License-Identifier: Apache-2.0
// What an event costs the thread that records it, measured on this machine at start, so that analysis can take it out.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.hpp"
#include "statistics/quantile.hpp"
#include "trace/process_facts.hpp"

namespace foretask::runtime {

// Appends each kind some thousands of times to a stream in memory and takes the median of many batches. About 2 ms.
// `contracts`: to one on which small tasks are contracted.
[[nodiscard]] trace::ProbeCosts measure_probe_costs(double ticks_per_second, bool contracts = false);

// ns that a call of `work` takes: the median of 31 batches of 16.
template <typename Work>
[[nodiscard]] double median_ns(Work&& work) {
  constexpr int kCallsABatch = 16;
  std::array<double, 31> ns{};
  for (double& batch : ns) {
    const std::int64_t from = base::monotonic_ns();
    for (int i = 0; i < kCallsABatch; ++i) work();
    batch = static_cast<double>(base::monotonic_ns() - from) / kCallsABatch;
  }
  return statistics::quantile_in_place(ns, 0.5);
}

}  // namespace foretask::runtime
