// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"
#include "simulate/cores/replayer.hpp"

namespace foretask::simulate {

// For identical cores or the platform of `options`, of which all counts but cores and seed. The graph must stay as long
// as the replayer. Throws std::bad_alloc.
[[nodiscard]] Result<std::unique_ptr<Replayer>> make_replayer(const analysis::TaskGraph& graph,
                                                              const analysis::SimulationOptions& options);

}  // namespace foretask::simulate
