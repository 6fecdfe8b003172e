// SPDX-License-Identifier: Apache-2.0
// What foretask decided of a recursive program's parts, summed up by kernel.
#pragma once

#include <vector>

#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::wiring {

[[nodiscard]] std::vector<analysis::GranularitySummary> granularity_summaries(const graph::RecordedGraph& graph,
                                                                              const trace::TraceFolder& trace);

}  // namespace foretask::wiring
