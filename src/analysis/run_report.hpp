// SPDX-License-Identifier: Apache-2.0
// The report of one recording, of its events' graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/kernel_names.hpp"
#include "analysis/span_parts.hpp"
#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::wiring {

// In words, of the streams that were read.
[[nodiscard]] std::vector<std::string> damage_of(const trace::TraceFolder& trace);

// Whether the program came to its end, as far as the recording knows.
[[nodiscard]] bool has_ended(const trace::RunFile& run);

// Puts the counters of recording `number` down.
void add_counters(const trace::RunFile& run, std::uint32_t number, analysis::Report& report);

// All but what other recordings add to it. `trace` was read to its end. Linear in the graph. `span_parts` is filled.
[[nodiscard]] analysis::Report make_report(const trace::TraceFolder& trace, const graph::RecordedGraph& graph,
                                           const CodeNames& code_names, const std::optional<analysis::Burden>& burden,
                                           const analysis::SchedulingCosts& costs, SpanParts& span_parts);

}  // namespace foretask::wiring
