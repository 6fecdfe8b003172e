// SPDX-License-Identifier: Apache-2.0
// Replays whose messages SimGrid carries, each in a process of its own.
#pragma once

#include <functional>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"
#include "simulate/network/network.hpp"

namespace foretask::simulate {

using ReplayOnNetwork = std::function<Result<analysis::SimulationResult>(Network&)>;

// Whether libforetask_simgrid.so is there: foretask was built, and is installed, with SimGrid.
[[nodiscard]] bool has_simgrid();

// What `replay` gives, called in a child of this process with a network over the platform's XML file. Any thread.
// Errors: its own, no SimGrid, a file that SimGrid does not read or that has fewer hosts than the platform nodes.
[[nodiscard]] Result<analysis::SimulationResult> replay_on_simgrid(const analysis::Platform& platform,
                                                                   const ReplayOnNetwork& replay);

}  // namespace foretask::simulate
