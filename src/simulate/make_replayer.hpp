// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"
#include "simulate/cores/replayer.hpp"

namespace foretask::simulate {

// Whether replays divide the graph's loops among the cores first. Not where a schedule is kept: that is of the graph's
// own nodes, and graph_on_cores() gives a graph that is divided already.
[[nodiscard]] bool divides_loops(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options) noexcept;

// For identical cores or the platform of `options`, of which all counts but cores and seed. The graph must stay as long
// as the replayer. Errors: also where loops are to change that are not divided. Throws std::bad_alloc.
[[nodiscard]] Result<std::unique_ptr<Replayer>> make_replayer(const analysis::TaskGraph& graph,
                                                              const analysis::SimulationOptions& options);

// Of the kinds that it chooses among that on identical cores, under one policy and one what-if: what does not depend on
// the number of cores (durations, bottom levels and their order, predecessor counts) is found once. Errors: a node that
// cannot run on a plain core, a factor that cannot be, times that do not fit, a cycle (critical-path; the other
// policies find it when they run).
[[nodiscard]] Result<std::unique_ptr<Replayer>> prepared_replay(const analysis::TaskGraph& graph,
                                                                const analysis::SimulationOptions& options);

}  // namespace foretask::simulate
