// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "foretask/analysis/simulate.hpp"
#include "simulate/cores/durations.hpp"
#include "simulate/machine/class_times.hpp"

namespace foretask::simulate {

// Each node's time on the machine of `options` with its speed-ups in force; where there are several classes of workers,
// the shortest. Refers to the graph.
class ShortestTimes {
 public:
  // The errors are those of durations_in_force() and ClassTimes::of().
  [[nodiscard]] static Result<ShortestTimes> of(const analysis::TaskGraph& graph,
                                                const analysis::SimulationOptions& options);

  [[nodiscard]] std::span<const std::int64_t> ns() const noexcept;

 private:
  explicit ShortestTimes(std::variant<Durations, ClassTimes> times) : times_(std::move(times)) {}

  std::variant<Durations, ClassTimes> times_;
};

}  // namespace foretask::simulate
