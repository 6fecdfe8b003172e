// SPDX-License-Identifier: Apache-2.0
// What plain and sampled replays of a grid have in common.
#pragma once

#include <cstddef>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"

namespace foretask::simulate {

// Errors: no scenario, no number of cores, no core where there is no platform.
[[nodiscard]] Result<void> check_grid(const analysis::SimulationOptions& options, const analysis::ReplayGrid& grid);

// How many threads are asked for: at least one.
[[nodiscard]] std::size_t threads_of(const analysis::ReplayGrid& grid) noexcept;

[[nodiscard]] analysis::SimulationOptions with_scenario(analysis::SimulationOptions options,
                                                        const analysis::Scenario& scenario);

}  // namespace foretask::simulate
