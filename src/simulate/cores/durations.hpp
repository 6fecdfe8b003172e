// SPDX-License-Identifier: Apache-2.0
// The durations in force: the graph's own, or those that a what-if divides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"

namespace foretask::simulate {

// Refers to the graph that it was made for.
struct Durations {
  Durations() = default;
  // A copy's `ns` would still be the original's.
  Durations(Durations&&) noexcept = default;
  Durations& operator=(Durations&&) noexcept = default;

  std::span<const std::int64_t> ns;  // one a node
  std::int64_t work_ns = 0;          // their sum; of a recording as analysis::work_ns
  std::int64_t worker_work_ns = 0;   // the part that occupies workers
  std::int64_t longest_ns = 0;
  std::int64_t latest_ns = 0;         // no instant of a replay without costs is later
  std::vector<std::int64_t> divided;  // what `ns` refers to where a what-if is in force
};

// What each kernel's durations are divided by, infinite for a removed one; empty where nothing is. A kernel named twice
// is divided by both. Errors: a kernel or a factor that cannot be.
[[nodiscard]] Result<std::vector<double>> factors_in_force(const analysis::TaskGraph& graph,
                                                           const analysis::SimulationOptions& options);

// duration / factor, rounded to the nearest integer, halves up.
[[nodiscard]] std::int64_t divided_duration(std::int64_t duration_ns, double factor) noexcept;

// Errors: a kernel or a factor that cannot be, a node without a duration, times whose sum does not fit.
[[nodiscard]] Result<Durations> durations_in_force(const analysis::TaskGraph& graph,
                                                   const analysis::SimulationOptions& options);

}  // namespace foretask::simulate
