// SPDX-License-Identifier: Apache-2.0
// What a recording says of its runtime's costs: all that replays under work stealing are told of them.
#pragma once

#include "base/clock.hpp"
#include "foretask/analysis/simulate.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "trace/run_file.hpp"

namespace foretask::wiring {

// The gaps between strands: each mean of enough of them replaces what `costs` has.
void add_recorded_gaps(const graph::RuntimeTimes& times, analysis::TeamCosts& costs);
// Of a recording whose tasks do nothing: what the strands took is the runtime's.
void add_empty_strands(const graph::RuntimeTimes& times, analysis::TeamCosts& costs);

// What an event takes of a recorded run: its probe, and a task's part of what listening takes beside them.
[[nodiscard]] trace::ProbeCosts with_listening(const trace::ProbeCosts& probes, std::int64_t listen_ns);

// The costs that the recording carries, or the stored ones if these are of larger teams.
[[nodiscard]] trace::RuntimeCosts known_runtime_costs(const trace::RunFile& run);

// `start`: when the program began. Linear in the gaps between tasks.
[[nodiscard]] analysis::SchedulingCosts scheduling_costs(const trace::RunFile& run, const graph::RecordedGraph& graph,
                                                         base::Ticks start);

}  // namespace foretask::wiring
