// SPDX-License-Identifier: Apache-2.0
// The report of one recording, of its events' graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/kernel_names.hpp"
#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/path_analysis.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::wiring {

// What each strand adds to a run's span: a bit a strand, and a number for those that count for less than they took.
class SpanParts {
 public:
  SpanParts() = default;
  // `weight_ns`: what `path` was found by, one a strand.
  SpanParts(const graph::Path& path, const std::vector<std::int64_t>& duration_ns,
            const std::vector<std::int64_t>& weight_ns);

  // `duration_ns`: the strand's. 0 where it is not on the path.
  [[nodiscard]] std::int64_t of(graph::NodeIndex strand, std::int64_t duration_ns) const;

 private:
  std::vector<bool> is_on_path_;
  std::vector<std::pair<graph::NodeIndex, std::int64_t>> lighter_;  // by strand
};

// In words, of the streams that were read.
[[nodiscard]] std::vector<std::string> damage_of(const trace::TraceFolder& trace);

// The program's build id; empty where it has none.
[[nodiscard]] std::string build_of(const trace::RunFile& run);

// Whether the program came to its end, as far as the recording knows.
[[nodiscard]] bool has_ended(const trace::RunFile& run);

// Puts the counters of recording `number` down.
void add_counters(const trace::RunFile& run, std::uint32_t number, analysis::Report& report);

// Of `report` the kernels, loops and locks are known.
[[nodiscard]] analysis::CoreTime core_time(const graph::RecordedGraph& graph, const trace::RunFile& run,
                                           const std::vector<std::string>& names, const analysis::Report& report);

// As Run::compare_with_base().
[[nodiscard]] Result<void> compare_with_base(const analysis::Report& base, const std::string& folder,
                                             analysis::Report& report);

// All but what other recordings add to it. `trace` was read to its end. Linear in the graph. `span_parts` is filled.
[[nodiscard]] analysis::Report make_report(const trace::TraceFolder& trace, const graph::RecordedGraph& graph,
                                           const CodeNames& code_names, const std::optional<analysis::Burden>& burden,
                                           const analysis::SchedulingCosts& costs, SpanParts& span_parts);

}  // namespace foretask::wiring
