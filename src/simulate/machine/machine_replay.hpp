// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "simulate/cores/replayer.hpp"

namespace foretask::simulate {

// Replays on a platform: workers of several classes, nodes with a network. Errors: a policy that platforms do not have,
// factors and times that cannot be, a cycle.
[[nodiscard]] Result<std::unique_ptr<Replayer>> machine_replay(const analysis::TaskGraph& graph,
                                                               const analysis::SimulationOptions& options);

}  // namespace foretask::simulate
