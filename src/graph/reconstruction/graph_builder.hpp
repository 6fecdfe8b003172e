// SPDX-License-Identifier: Apache-2.0
// Goes through a trace's events in order of time and builds strands and edges, and with them the measures that need the
// order.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "graph/reconstruction/trace_census.hpp"
#include "trace/run_file.hpp"
#include "trace/stream_reader.hpp"

namespace foretask::graph {

struct BuildOptions {
  double ticks_per_second = 1e9;
  base::Ticks start_ticks = 0;  // the program's start
  trace::ProbeCosts probe_costs{};
  // What the runtime takes within strands, by ascending threads; empty: not known, and left in.
  std::vector<analysis::TeamCosts> team_costs;
  std::uint32_t processors = 0;  // that the program might use; 0: unknown
  std::int64_t main_thread = 0;  // the operating system's number of the program's first thread; 0: unknown
  // When the program was gone, in ns from its start and without the tool's own time at the end; 0: unknown.
  std::int64_t exit_ns = 0;
  // One a counter that was recorded: what each of its values is too large by.
  std::vector<double> counter_bias;
  // Codes whose tasks have kernels by number, where nothing else is said of a task.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> named_codes;
  // A range of memory that a task writes without reading it is one of its own: of annotated tasks only what one writes
  // and another reads is ordered.
  bool rename_buffers = false;
  // Told now and then how many events are done.
  std::function<void(std::uint64_t)> on_events;
};

// Reads `streams`, which `census` was taken of, from their beginning. Linear in the number of events; about 50 bytes a
// strand and 40 a task. Events that contradict each other are counted, never followed.
[[nodiscard]] RecordedGraph build_graph(std::vector<trace::StreamReader>& streams, const TraceCensus& census,
                                        const BuildOptions& options);

}  // namespace foretask::graph
